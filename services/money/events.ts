import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { choice, date, decimal, list, nullable, Type, uuid } from "../../core/declare/schema.ts";

const invoice = {
  invoice_id: uuid(),
  company_id: uuid(),
  number: Type.String(),
  total: decimal(),
  currency: Type.String(),
};
const agreement = { subscription_id: uuid(), company_id: uuid(), name: Type.String() };
const level = choice(["off", "draft", "issue", "send"]);
const period = { period_start: date(), period_end: date(), amount: decimal(), currency: Type.String() };

/** What happens to invoices (money chapter §4, §6, §9). */
export const invoiceEvents = {
  "invoice.issued": event("invoice", "An invoice or credit note got its number.", invoice),
  "invoice.paid": event("invoice", "An invoice is paid in full; once for each time it becomes so.", invoice),
};

/** What happens to agreements (money chapter §9). */
export const subscriptionEvents = {
  "subscription.activated": event("subscription", "An agreement was active for the first time.", agreement),
  "subscription.project_linked": event("subscription", "A project was linked to an agreement.", {
    ...agreement,
    project_id: uuid(),
  }),
  "subscription.due": event("subscription", "A period of an agreement has ended and is to be billed.", {
    ...agreement,
    ...period,
    // Null follows the organisation.
    level: nullable(level),
    lines: list(Type.Object({ description: Type.String(), quantity: decimal(), unit_price: decimal() })),
  }),
};

declare module "../../core/declare/effects.ts" {
  interface EffectPayloads {
    /** A document bills hours from now on: those it claimed just now. */
    "invoice.hours_claimed": { entry_ids: readonly string[] };
    /** Hours are on no document any more. */
    "invoice.hours_released": { entry_ids: readonly string[] };
    /** An agreement is active for the first time; the task templates are those of its type, in their order. */
    "subscription.activated": { subscription_id: string; company_id: string; task_template_ids: readonly string[] };
    /** Projects were linked to an agreement that were not before. */
    "subscription.projects_linked": { subscription_id: string; project_ids: readonly string[] };
  }
}

declare module "../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof invoiceEvents>, PayloadsOf<typeof subscriptionEvents> {}
}

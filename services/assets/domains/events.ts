import { event, type PayloadsOf } from "../../../core/declare/events.ts";
import { namedValues } from "../../../core/naming/named-values.ts";
import { choice, date, decimal, field, nullable, Type, uuid } from "../../../core/schema/schema.ts";
import { DOMAIN_STATUSES } from "./domain-statuses.ts";

/** The events of domains (assets §2.1, §2.4). */
export const domainEvents = {
  "domain.due": event("domain", "A year of a domain has ended and is due for billing.", {
    domain_id: field(uuid(), "The domain"),
    company_id: field(uuid(), "Its client"),
    name: Type.String({ description: "Its name, as people read it" }),
    tld: nullable(Type.String({ description: "Its extension; null for a name without a dot" })),
    auto_invoice_mode: field(
      nullable(choice(namedValues("AutoInvoiceMode", ["off", "draft", "issue", "send"]))),
      "What to do with it, according to the domain; null uses the organisation's setting",
    ),
    amount: decimal({ description: "Price of the year, in `currency`" }),
    currency: Type.String({ description: "ISO 4217 code of `amount`" }),
    period_start: field(date(), "Day the year begins"),
    period_end: field(date(), "Day the year ends"),
  }),
  "domain.status_changed": event("domain", "A domain got another status.", {
    domain_id: field(uuid(), "The domain"),
    company_id: field(uuid(), "Its client"),
    name: Type.String({ description: "Its name, as people read it" }),
    from: choice(DOMAIN_STATUSES, { description: "Its status before" }),
    to: choice(DOMAIN_STATUSES, { description: "Its status now" }),
  }),
};

declare module "../../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof domainEvents> {}
}

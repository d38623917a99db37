import { event, type PayloadsOf } from "../../../core/declare/events.ts";
import { date, decimal, field, integer, Type, uuid } from "../../../core/schema/schema.ts";

/** Events of dunning (money §20). */
export const dunningEvents = {
  "invoice.dunned": event("invoice", "A notice of a level of dunning was sent, by the daily job or by a person.", {
    invoice_id: field(uuid(), "The invoice"),
    company_id: field(uuid(), "Its client"),
    number: Type.String({ description: "Its number" }),
    level: integer(1, 4, { description: "The level of the notice" }),
    outstanding: decimal({ description: "What was open of the invoice, in `currency`" }),
    claimed: decimal({ description: "What the notice claims, with interest, fees and costs" }),
    currency: Type.String({ description: "ISO 4217 code of its amounts" }),
    pay_by: field(date(), "The last day to pay that it gives"),
  }),
};

declare module "../../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof dunningEvents> {}
}

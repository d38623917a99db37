import { event, type PayloadsOf } from "../../../core/declare/events.ts";
import { choice, date, decimal, nullable, Type, uuid } from "../../../core/declare/schema.ts";

/** What happens to domains (assets §2.1, §2.4). */
export const domainEvents = {
  "domain.due": event("domain", "A year of a domain has ended and is to be billed.", {
    domain_id: uuid(),
    company_id: uuid(),
    // As people read it.
    name: Type.String(),
    tld: nullable(Type.String()),
    // Null follows the organisation.
    auto_invoice_mode: nullable(choice(["off", "draft", "issue", "send"])),
    amount: decimal(),
    currency: Type.String(),
    period_start: date(),
    period_end: date(),
  }),
  "domain.status_changed": event("domain", "A domain got another status.", {
    domain_id: uuid(),
    company_id: uuid(),
    name: Type.String(),
    from: Type.String(),
    to: Type.String(),
  }),
};

declare module "../../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof domainEvents> {}
}

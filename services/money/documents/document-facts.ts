import { type AutomationEntity, seenOf } from "../../../core/declare/automation.ts";
import { Invoice, Quote } from "./models.ts";

/** Columns of documents that automation rules see: neither prints nor secrets of links. */
const COMMON = [
  "id",
  "number",
  "reference",
  "company_id",
  "currency",
  "issue_date",
  "subtotal",
  "tax_total",
  "total",
  "sent_at",
] as const;

/** The fields of an invoice or credit note that automation rules see. */
export const invoiceFacts: AutomationEntity = {
  model: seenOf(Invoice, [
    ...COMMON,
    "kind",
    "status",
    "due_date",
    "outstanding",
    "paid_total",
    "paid_at",
    "reminder_count",
    "subscription_id",
  ]),
};

/** The fields of a quote that automation rules see. */
export const quoteFacts: AutomationEntity = { model: seenOf(Quote, [...COMMON, "status", "valid_until", "decided_at"]) };

import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  flag,
  input,
  instant,
  integer,
  list,
  neverNull,
  nullable,
  optional,
  type Static,
  Type,
  uuid,
} from "../../../../core/declare/schema.ts";
import { InvoicePaymentIntentRead } from "../../online/intent-schemas.ts";
import { CustomerWrite, changedDocument, createdDocument, readDocument } from "../document-schemas.ts";
import { PaymentRead } from "../payments/payment-schemas.ts";

export const INVOICE_KINDS = ["invoice", "credit_note"] as const;
export const INVOICE_STATUSES = ["draft", "open", "paid", "cancelled"] as const;

const kind = (options: Record<string, unknown> = {}) => choice(INVOICE_KINDS, { $id: "InvoiceKind", ...options });
const status = () => choice(INVOICE_STATUSES, { $id: "InvoiceStatus" });

export const InvoiceCreate = input("InvoiceCreate", {
  ...createdDocument,
  kind: optional(kind({ default: "invoice" })),
  due_date: optional(nullable(date())),
  delivery_date: optional(nullable(date())),
});

export const InvoiceUpdate = input("InvoiceUpdate", {
  ...changedDocument,
  customer: optional(neverNull(nullable(CustomerWrite))),
  due_date: optional(nullable(date())),
  delivery_date: optional(nullable(date())),
  reminders_paused: optional(neverNull(nullable(flag()))),
});
export type InvoiceChange = Static<typeof InvoiceUpdate>;

export const InvoiceFromTime = input("InvoiceFromTime", {
  company_id: uuid(),
  project_id: optional(nullable(uuid())),
  until: optional(nullable(date())),
  group_by: optional(choice(["entry", "day", "project"], { default: "project" })),
  hourly_rate: optional(nullable(decimalInput({ minimum: 0, decimalPlaces: 2 }))),
});

const CreditNoteRef = answer("CreditNoteRef", {
  id: uuid(),
  number: nullable(Type.String()),
  status: status(),
  total: decimal(),
  applied_total: decimal(),
});

/** Whether a document can be an e-invoice. */
const EInvoiceReadiness = answer("EInvoiceReadiness", {
  ready: Type.Boolean({ description: "Whether the e-invoice can be made; of a draft, once it is issued" }),
  problems: Type.Array(
    Type.Object({
      field: Type.String({ description: "What is missing or cannot be stated: a field of seller, buyer or document" }),
      message: Type.String({
        description:
          "Translation key that says whose it is: errors.invoicing.seller_incomplete, errors.invoicing.customer_incomplete, or errors.validation of the document itself",
      }),
    }),
  ),
});
const readiness = (rules: string) =>
  Type.Unsafe<Static<typeof EInvoiceReadiness> | null>({
    anyOf: [EInvoiceReadiness, { type: "null" }],
    description: `Whether the document can be an e-invoice by ${rules}, and what it lacks. Null in lists.`,
  });

export const InvoiceRead = answer("InvoiceRead", {
  ...readDocument,
  e_invoice: readiness("EN 16931"),
  peppol: readiness("EN 16931 and Peppol BIS Billing 3"),
  unrated_minutes: Type.Union([Type.Integer(), Type.Null()], {
    description:
      "Minutes on lines of a draft at price 0 for which no hourly rate was found at any level: issuing it needs `allow_zero`. 0 once it is issued, null in lists.",
  }),
  kind: kind(),
  status: status(),
  due_date: nullable(date()),
  delivery_date: nullable(date()),
  paid_total: decimal(),
  credited_total: decimal(),
  applied_total: decimal(),
  outstanding: decimal(),
  credited: flag(),
  fully_credited: flag(),
  overdue: flag(),
  credit_for_id: nullable(uuid()),
  credit_for_number: Type.String(),
  credit_notes: list(CreditNoteRef),
  quote_id: nullable(uuid()),
  subscription_id: nullable(uuid()),
  domain_id: nullable(uuid()),
  period_start: nullable(date()),
  period_end: nullable(date()),
  payments: list(PaymentRead),
  intents: list(InvoicePaymentIntentRead),
  online_payment: flag(),
  public_url: Type.String(),
  paid_at: nullable(instant()),
  cancelled_at: nullable(instant()),
  reminders_paused: flag(),
  reminder_count: integer(0),
  last_reminder_at: nullable(instant()),
});

import { namedValues } from "../../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  closed,
  date,
  decimal,
  decimalInput,
  field,
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
  text,
  uuid,
} from "../../../../core/schema/schema.ts";
import { InvoicePaymentIntentRead } from "../../../../mixins/payments/intent-schemas.ts";
import { PaymentDiscountRead, PaymentDiscountWrite, PaymentTermsValue } from "../../settings/setting-schemas.ts";
import { CustomerWrite, changedDocument, createdDocument, readDocument } from "../document-schemas.ts";
import { PaymentRead } from "../payments/payment-schemas.ts";

export const INVOICE_KINDS = namedValues("InvoiceKind", ["invoice", "credit_note"]);
export const INVOICE_STATUSES = namedValues("InvoiceStatus", ["draft", "open", "paid", "cancelled"]);

const kind = (options: Record<string, unknown> = {}) => choice(INVOICE_KINDS, options);
const status = () => choice(INVOICE_STATUSES);

const INVOICE = {
  kind: "`invoice`, or `credit_note` for one that credits money to the client; fixed once the document exists",
  status: "`draft` until it is issued, `open` until it is settled, `paid`, or `cancelled`",
  due_date: "Payment due date; null on a draft uses its payment terms, else those of the settings, when it is issued",
  payment_terms:
    "Of a draft, terms that give the due date when it is issued without one; null uses those of the settings. Once it is issued, the terms that gave its due date; null if that was set as a date, or before terms were kept",
  payment_discount:
    "Discount for early payment. Of a draft, its own; null uses that of the client, else of the settings, when it is issued. Once it is issued, the one it promised; null if it promised nothing, like a credit note",
  discount_until: "Last day on which a payment takes the discount; null without one and for a draft",
  discount_amount:
    "The discount with tax, as printed; null without one and for a draft. Credit notes lessen it in proportion, which `discounted` shows",
  discounted:
    "What is to be paid today instead of `outstanding`, with the discount deducted; null if no discount can be taken any more",
  is_discount: "Whether the service made this credit note of a discount that a payment took",
  delivery_date: "Day of the delivery or service, as electronic invoices name it; null if not stated",
  paid_total: "Sum of all its payments, refunds counted as negative, with 2 decimals",
  credited_total: "What issued credit notes took off this invoice, with 2 decimals",
  applied_total: 'Amount of a credit note applied to its source when it was issued; "0.00" for an invoice',
  outstanding:
    "Amount still due: `total - paid_total - credited_total + applied_total`; negative after an overpayment or before a refund",
  credited: "Whether credit notes took anything off it",
  fully_credited: "Whether credit notes cover its whole total",
  overdue: "Whether it is open, past its due date in the organisation's zone and has something outstanding",
  credit_for_id: "The invoice that a credit note corrects; null for an invoice, and for a credit note without a source",
  credit_for_number: "Number of that invoice; empty without one and in lists",
  credit_notes: "Credit notes on this invoice that are not cancelled, drafts included; empty in lists",
  quote_id: "The quote it was made from; null without one",
  deposit_of: "The quote on which it is a deposit, which the final invoice deducts; null for other documents",
  subscription_id: "The agreement whose period the billing job drafted it for; null otherwise",
  domain_id: "The domain whose year the billing job drafted it for; null otherwise",
  period_start: "Day that period begins; null without one",
  period_end: "Day that period ends; null without one",
  payments: "Payments that were booked on it; empty in lists",
  intents: "Attempts to pay it online, the newest first; empty in lists",
  online_payment:
    "Whether it can be paid online now: an active payment account exists and an invoice has something outstanding; false in lists",
  public_url:
    "Address of the page on which the payer reads and pays it; empty for a draft, while public links are off, for client logins and in lists",
  paid_at: "When it was settled, UTC; null while it is not, also after a payment was removed",
  cancelled_at: "When it was cancelled, UTC; null otherwise",
  reminders_paused: "Whether the daily job skips it; you can still send a reminder by hand",
  reminder_count: "Reminders sent so far, those sent by hand included; it is the step of the schedule that comes next",
  last_reminder_at: "When the last reminder was sent, UTC; null if never",
  dunning_level: "The level of dunning that it reached, 1 to 4; 0 before the first notice",
};

export const InvoiceCreate = input(
  "InvoiceCreate",
  {
    ...createdDocument,
    kind: optional(kind({ default: "invoice" })),
    due_date: optional(nullable(date())),
    payment_terms: optional(nullable(PaymentTermsValue)),
    payment_discount: optional(nullable(PaymentDiscountWrite)),
    delivery_date: optional(nullable(date())),
  },
  INVOICE,
);

/** The fields of a seller that one invoice may complete. */
export const SellerWrite = closed(
  input(
    "SellerWrite",
    { country: optional(nullable(text(2))), vat_number: optional(nullable(text(32))) },
    {
      country: "Country of the seller, ISO 3166-1 alpha-2; null or blank fills nothing",
      vat_number: "VAT identification number of the seller; null or blank fills nothing",
    },
  ),
);

export const InvoiceUpdate = input(
  "InvoiceUpdate",
  {
    ...changedDocument,
    customer: field(
      optional(neverNull(nullable(CustomerWrite))),
      "Blank fields of an issued invoice's bill-to party; sending a value for another field is refused, and so is a draft, and an invoice that left the organisation",
    ),
    seller: field(
      optional(neverNull(nullable(SellerWrite))),
      "Blank fields of the seller, on this invoice alone; needs `invoicing.settings.manage`. Refused for an invoice that left the organisation",
    ),
    due_date: optional(nullable(date())),
    payment_terms: optional(nullable(PaymentTermsValue)),
    payment_discount: optional(nullable(PaymentDiscountWrite)),
    delivery_date: optional(nullable(date())),
    reminders_paused: optional(neverNull(nullable(flag()))),
  },
  INVOICE,
);
export type InvoiceChange = Static<typeof InvoiceUpdate>;

export const InvoiceFromTime = input("InvoiceFromTime", {
  company_id: field(uuid(), "The client whose approved, billable and unbilled hours become the lines"),
  project_id: field(optional(nullable(uuid())), "Only hours of this project; null for all"),
  until: field(optional(nullable(date())), "Last working day to bill, included, in the organisation's zone; null has no limit"),
  group_by: field(
    optional(choice(["entry", "day", "project"], { default: "project" })),
    "`project`: a line for each project and rate; `day`: for each day, project and rate; `entry`: for each time entry",
  ),
  hourly_rate: field(
    optional(nullable(decimalInput({ minimum: 0, decimalPlaces: 2 }))),
    "Price of an hour for every line, with 2 decimals; null uses the worker's rate, else the default of the people settings, else that of invoicing",
  ),
});

const CreditNoteRef = answer("CreditNoteRef", {
  id: uuid(),
  number: nullable(Type.String({ description: "The credit note's number; null for a draft" })),
  status: field(status(), "Its own status"),
  total: decimal({ description: "Its total with tax; negative" }),
  applied_total: decimal({ description: "The part of it applied to this invoice" }),
});

/** Whether a document qualifies as an e-invoice. */
const EInvoiceReadiness = answer("EInvoiceReadiness", {
  ready: Type.Boolean({ description: "Whether the e-invoice can be made; of a draft, once it is issued" }),
  problems: field(
    Type.Array(
      Type.Object({
        field: Type.String({ description: "The missing or invalid field of seller, buyer or document" }),
        message: Type.String({
          description:
            "Translation key that names the party to complete: errors.invoicing.seller_incomplete, errors.invoicing.customer_incomplete, or errors.validation of the document itself",
        }),
      }),
    ),
    "The obstacles; empty when it is ready",
  ),
});
const readiness = (rules: string) =>
  Type.Unsafe<Static<typeof EInvoiceReadiness> | null>({
    anyOf: [EInvoiceReadiness, { type: "null" }],
    description: `Whether the document can be an e-invoice by ${rules}, and what it lacks. Null in lists.`,
  });

export const InvoiceRead = answer(
  "InvoiceRead",
  {
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
    payment_terms: nullable(PaymentTermsValue),
    payment_discount: nullable(PaymentDiscountRead),
    discount_until: nullable(date()),
    discount_amount: nullable(decimal()),
    discounted: nullable(decimal()),
    is_discount: flag(),
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
    deposit_of: nullable(uuid()),
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
    dunning_level: integer(0, 4),
  },
  INVOICE,
);

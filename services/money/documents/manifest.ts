import { defineModule } from "../../../core/declare/module.ts";
import { dunningEvents } from "../dunning/events.ts";
import { invoiceEvents, quoteEvents } from "../events.ts";
import { SendInvoiceConfig } from "../mails/invoice-automation-configs.ts";
import { invoicingMails } from "../mails/mails.ts";
import { invoicingFieldTexts } from "./key-texts.ts";

export const invoicing = defineModule({
  key: "invoicing",
  kind: "module",
  licence: "invoicing",
  permissions: {
    "invoicing.invoice.read": { position: 10, grants: { admin: "any", client: "own" } },
    "invoicing.invoice.write": { position: 20, grants: ["admin"] },
    "invoicing.invoice.send": { position: 30, grants: ["admin"] },
    "invoicing.invoice.delete": { position: 40, grants: ["admin"] },
    "invoicing.quote.read": { position: 50, grants: ["admin"] },
    "invoicing.quote.write": { position: 60, grants: ["admin"] },
    "invoicing.quote.send": { position: 70, grants: ["admin"] },
    "invoicing.quote.delete": { position: 80, grants: ["admin"] },
    "invoicing.payment.write": { position: 90, grants: ["admin"] },
    "invoicing.payment.link": { position: 95, grants: { admin: "any", client: "own" } },
    "invoicing.settings.manage": { position: 100, grants: ["admin"] },
    "invoicing.template.author": { position: 110, grants: ["admin"] },
    "invoicing.report.read": {
      position: 120,
      names: ["Financiële rapportages lezen", "Read financial reports"],
      grants: ["admin"],
    },
  },
  errors: {
    400: [
      "validation",
      "validation errors.invoicing.no_lines",
      "validation errors.invoicing.no_recipient",
      "validation errors.invoicing.no_unbilled",
      "validation errors.invoicing.seller_incomplete",
    ],
    409: [
      "conflict errors.invoicing.already_credit_note",
      "conflict errors.invoicing.already_credited",
      "conflict errors.invoicing.credit_exceeds",
      "conflict errors.invoicing.credit_released_work",
      "conflict errors.invoicing.deposit_deducted",
      "conflict errors.invoicing.deposit_exceeds",
      "conflict errors.invoicing.has_credit_notes",
      "conflict errors.invoicing.has_payments",
      "conflict errors.invoicing.locked",
      "conflict errors.invoicing.not_draft",
      "conflict errors.invoicing.number_exhausted",
      "conflict errors.invoicing.period_already_billed",
      "conflict errors.invoicing.template_render",
      "conflict errors.invoicing.unrated_hours",
      "conflict errors.invoicing.wrong_status",
    ],
    422: ["validation errors.invoicing.template_render", "validation errors.invoicing.template_too_large"],
    502: ["email_failed errors.invoicing.email_failed"],
  },
  errorTexts: {
    validation: [
      "A field refers to a record that does not exist for the caller, such as a contact, a template or the type of an agreement. Or the scope of a price increase names more than one record.",
      "Correct the fields that `fields` names.",
    ],
    "validation errors.invoicing.no_lines": ["The document has no lines.", "Add at least one line."],
    "validation errors.invoicing.no_recipient": [
      "There is no e-mail address to send the document to.",
      "Send a recipient, or give the client an address.",
    ],
    "validation errors.invoicing.seller_incomplete": [
      "The company details of the organisation have no name.",
      "Complete the seller's details in the settings of invoicing.",
    ],
    "conflict errors.invoicing.not_draft": [
      "The invoice is issued, and this can be done to a draft only.",
      "Correct an issued invoice with a credit note.",
    ],
    "conflict errors.invoicing.deposit_deducted": [
      "An issued final invoice deducts the deposit to credit or to cancel.",
      "Credit the final invoice in full, or cancel it, first.",
    ],
    "conflict errors.invoicing.deposit_exceeds": [
      "The deposits on the quote would together be more than its total, or its total is not above zero.",
      "Lower the deposit, or credit or delete another one.",
    ],
    "conflict errors.invoicing.has_payments": [
      "The invoice to cancel has payments.",
      "Remove the payments first, or make a credit note.",
    ],
    "conflict errors.invoicing.has_credit_notes": [
      "Issued credit notes credit a part of the invoice to cancel.",
      "Cancel the credit notes first, or credit the rest of the invoice.",
    ],
    "conflict errors.invoicing.credit_exceeds": [
      "The credit note would credit more than the remaining amount of the invoice, or has another currency.",
      "Lower its lines to the remaining amount, in the currency of the invoice.",
    ],
    "conflict errors.invoicing.wrong_status": [
      "The document's status does not allow this.",
      "Read the document again and check its status.",
    ],
    "validation errors.invoicing.no_unbilled": [
      "The client has no approved, billable hours that no document bills, within the project and up to `until` of the request.",
      "Approve the hours and mark them as billable, or widen the request.",
    ],
    "conflict errors.invoicing.already_credit_note": [
      "The document to credit is a credit note itself.",
      "Credit an invoice; cancel a credit note to withdraw it.",
    ],
    "conflict errors.invoicing.already_credited": [
      "Issued credit notes already cover the total of the invoice.",
      "Cancel one of those credit notes first, or delete the draft of this one.",
    ],
    "conflict errors.invoicing.credit_released_work": [
      "The credit note belongs to a full credit of an invoice that billed hours or periods. That credit released them for billing again, so the credit note cannot be cancelled.",
      "Leave the credit note as it is, and bill the released work on a new invoice.",
    ],
    "conflict errors.invoicing.locked": [
      "The body has a field that is fixed after issue, such as a line, the currency or the issue date, or it changes a field of the bill-to party or the seller that has a value. Most fields of an open quote are fixed too. Or it changes what a document prints that has left the organisation: it was sent, opened by its link or a client login, exported, or fetched as PDF or e-invoice.",
      "Leave those fields out; correct an issued invoice with a credit note.",
    ],
    "conflict errors.invoicing.number_exhausted": [
      "The next 1,000 numbers of the sequence are all in use.",
      "Set a later `invoice_next_seq` or `quote_next_seq`, or another number format, in the settings of invoicing.",
    ],
    "conflict errors.invoicing.period_already_billed": [
      "Another document already bills a period of an agreement or a domain that a line names.",
      "Leave those lines out, or remove them from the other document first.",
    ],
    "conflict errors.invoicing.template_render": [
      "The document's own template fails to render, or makes it longer than 600 pages; `details.reason` says how.",
      "Correct the template, or choose another one for the document.",
    ],
    "conflict errors.invoicing.unrated_hours": [
      "A line bills hours at price 0, and no hourly rate exists for those hours.",
      "Set the price of the line, or remove the line.",
    ],
    "validation errors.invoicing.template_render": [
      "The template fails to render the sample document, or makes it longer than 600 pages; `fields.html` says how.",
      "Correct `html` and `css`, and check them with the preview.",
    ],
    "validation errors.invoicing.template_too_large": [
      "`html` has more than 200,000 characters, or `css` has more than 100,000.",
      "Shorten the fields that `fields` names.",
    ],
    "email_failed errors.invoicing.email_failed": [
      "The mail server did not accept the message; `details.reason` is its answer.",
      "Correct the recipient or the e-mail settings, then send again.",
    ],
  },
  fieldTexts: invoicingFieldTexts,
  events: { ...invoiceEvents, ...dunningEvents, ...quoteEvents },
  automation: {
    entities: {
      invoice: async () => (await import("./document-facts.ts")).invoiceFacts,
      quote: async () => (await import("./document-facts.ts")).quoteFacts,
    },
    triggers: {
      "invoice.issued": { position: 110, payload: ["invoice_id", "number", "company_id", "total", "currency"] },
      "invoice.paid": { position: 120, payload: ["invoice_id", "number", "company_id", "total", "currency"] },
      "invoice.overdue": {
        position: 130,
        payload: ["invoice_id", "number", "company_id", "total", "currency", "due_date", "outstanding"],
      },
      "invoice.dunned": {
        position: 135,
        payload: ["invoice_id", "number", "company_id", "level", "outstanding", "claimed", "currency", "pay_by"],
      },
      "quote.accepted": { position: 140, payload: ["quote_id", "number", "company_id", "total", "currency"] },
      "quote.rejected": { position: 150, payload: ["quote_id", "number", "company_id", "total", "currency"] },
    },
    actions: {
      "invoice.send": {
        position: 110,
        config: SendInvoiceConfig,
        call: "invoicing.automation.send",
        permission: "invoicing.invoice.send",
      },
    },
  },
  mails: invoicingMails,
  demo: { position: 40, load: async () => (await import("../demo/demo-money.ts")).fillMoney },
  hookPoints: ["invoice.hours_claimed", "invoice.hours_released", "invoice.payment_removed"],
  hooks: {
    "payment.arrived": async () => (await import("./invoices/online-payments.ts")).bookArrival,
    "banking.entry_matched": async () => (await import("./invoices/bank-payments.ts")).bookEntryPayments,
    "banking.entry_unmatched": async () => (await import("./invoices/bank-payments.ts")).removeEntryPayments,
    "company.deleting": async () => (await import("./company-deletion.ts")).requireDeletable,
  },
  records: {
    tax_rate: { copied: { list: "invoicing.tax-rates.list", table: "tax_rates", permission: "invoicing.invoice.read:any" } },
    invoice_template: {
      copied: { list: "invoicing.templates.list", table: "invoice_templates", permission: "invoicing.invoice.read:any" },
    },
    product: {
      copied: { list: "invoicing.products.list", table: "products", permission: "invoicing.invoice.read:any" },
      sheet: async () => (await import("../sheets/product.impex.ts")).product,
    },
    invoice: {
      copied: { list: "invoicing.invoices.list", table: "invoices" },
      seen: ["invoicing.invoices.get", "invoice_id"],
      readers: { permission: "invoicing.invoice.read" },
      client: { table: "invoices", of: "t.company_id" },
      trail: true,
      changes: {
        sent: ["sent_at"],
        reminder_sent: ["reminder_count", "last_reminder_at"],
        dunned: ["dunning_level"],
        credited: ["credit_notes"],
        credit_applied: ["credit_notes"],
        payment_registered: ["payments"],
        payment_deleted: ["payments"],
      },
      loses: [
        { field: "contact_id", to: "contacts", table: "invoices" },
        { field: "domain_id", to: "domains", table: "invoices" },
        { field: "deposit_of", to: "quotes", table: "invoices" },
        { field: "quote_id", to: "quotes", table: "invoices" },
        { field: "subscription_id", to: "subscriptions", table: "invoices" },
        { field: "template_id", to: "invoice_templates", table: "invoices" },
      ],
      custom: true,
      files: "open",
      bulk: {
        delete: "invoicing.invoice.delete",
        load: async () => (await import("./invoices/invoice.bulk.ts")).invoicesInBulk,
      },
    },
    quote: {
      copied: { list: "invoicing.quotes.list", table: "quotes" },
      seen: ["invoicing.quotes.get", "quote_id"],
      readers: { permission: "invoicing.quote.read" },
      client: { table: "quotes", of: "t.company_id" },
      trail: true,
      changes: { sent: ["sent_at"], expired: ["status"], converted: ["status", "invoice_id"] },
      loses: [
        { field: "contact_id", to: "contacts", table: "quotes" },
        { field: "template_id", to: "invoice_templates", table: "quotes" },
      ],
      custom: true,
      files: "open",
    },
  },
  tables: [
    "client_terms",
    "document_lines",
    "invoice_daily_mails",
    "invoice_payments",
    "invoice_templates",
    "invoices",
    "issued_looks",
    "invoicing_settings",
    "kept_documents",
    "period_claims",
    "products",
    "quote_instalments",
    "quotes",
    "tax_rates",
    "time_entry_claims",
  ],
  references: { "client_terms.company_id": { oneBy: [] } },
  shows: {
    // Which documents have claims, fixed once they are issued, and what a payment depends on.
    invoices: [
      "id",
      "company_id",
      "kind",
      "number",
      "status",
      "outstanding",
      "currency",
      "locale",
      "credit_for_id",
      "discount_until",
      "discount_left",
    ],
    time_entry_claims: ["time_entry_id", "invoice_id"],
  },
  tags: { invoicing: "Quotes, invoices, credit notes, payments and subscriptions." },
  parameters: {
    ":invoice_id": "The invoice or credit note",
    ":payment_id": "The payment that was booked",
    ":token": "The secret in the link to the document",
    ":product_id": "The product",
    ":quote_id": "The quote",
    ":tax_rate_id": "The tax rate",
    ":design": "The design whose source is read",
    ":template_id": "The template of documents",
    lines: "Whether to include the lines of each document; `false` leaves them empty and is faster",
    overdue: "Whether to include only open invoices past their due date",
    group: "What to form the groups by",
    source: "Only periods of agreements, or only those of domains",
    until: "Last day of the hours, included; absent for all of them",
    ids: "Invoices to put into the archive, in this order",
    hybrid: "Whether the PDF carries the e-invoice as a file (Factur-X)",
    profile: "Rules that the e-invoice obeys",
  },
});

import { action } from "../../../../core/declare/action.ts";
import { organisationToday } from "../../../../core/request/today.ts";
import { flag, optional, page, text } from "../../../../core/schema/schema.ts";
import { resource } from "../../../../mixins/resource.ts";
import { UNKNOWN_REFERENCE } from "../../refusals.ts";
import { DOCUMENT_PAGE, documentQuery } from "../document-query.ts";
import { InvoiceIssue } from "../document-schemas.ts";
import { Invoice } from "../models.ts";
import { creditInvoice } from "./crediting.ts";
import { createDraft } from "./drafting.ts";
import { invoiceHours } from "./from-time.ts";
import { invoiceListing } from "./invoice.list.ts";
import { cancelInvoice, changeInvoice, deleteDraft } from "./invoice-changes.ts";
import { lockInvoice, oneInvoice, pageOfInvoices, writtenInvoice } from "./invoice-rows.ts";
import { INVOICE_STATUSES, InvoiceCreate, InvoiceFromTime, InvoiceRead, InvoiceUpdate } from "./invoice-schemas.ts";
import { issue } from "./issuing.ts";

const ECHOED = {
  tenancy: "hours and periods of another organisation claim nothing and are echoed (money §8); a separate test shows that",
};

export default resource("invoicing.invoices", {
  model: Invoice,
  actions: {
    list: action({
      rest: "GET /invoicing/invoices",
      summary: "List invoices and credit notes",
      description:
        "`q` searches number and reference. `overdue` selects open ones past their due date. Without `lines` the lines and tax groups are empty; only single documents have payments, attempts and credit notes.",
      permission: "invoicing.invoice.read",
      query: {
        ...documentQuery(invoiceListing.spec.sorts, INVOICE_STATUSES),
        kind: optional(text(50)),
        overdue: optional(flag(false)),
      },
      returns: page(InvoiceRead),
      tool: {
        name: "unpaid_invoices",
        description:
          "Issued invoices of one client or of all that are not settled yet; `overdue` selects those past their due date.",
        sets: { status: "open", kind: "invoice", lines: "false" },
        takes: ["company_id", "overdue", "limit", "offset", "sort"],
      },
      handler(ctx) {
        const { status, company_id, kind, overdue, lines = true, ...asked } = ctx.params;
        const filters = { status, company_id, kind, due_before: overdue ? organisationToday() : undefined };
        return pageOfInvoices({ limit: DOCUMENT_PAGE, ...asked }, filters, lines);
      },
    }),

    create: action({
      rest: "POST /invoicing/invoices",
      summary: "Draft an invoice or a credit note",
      description: "Totals follow from the lines. Hours and periods that a line claims are billed by this document alone.",
      permission: "invoicing.invoice.write",
      body: InvoiceCreate,
      example: {
        company_id: "975df61c-0c1e-4a5b-8d2f-975df61c0001",
        contact_id: "9c9608b9-0c1e-4a5b-8d2f-9c9608b90001",
        reference: "Inkooporder 4021",
        intro: "Hierbij de factuur voor het werk van februari.",
        due_date: "2026-03-30",
        lines: [
          {
            description: "Ontwerp en uitwerking",
            line_kind: "hours",
            quantity: "7.5",
            unit: "uur",
            unit_price: "92.50",
            tax_rate_id: "0e16cdf3-0c1e-4a5b-8d2f-0e16cdf30001",
          },
          {
            description: "Drukwerk jaarverslag",
            quantity: "40",
            unit: "stuk",
            unit_price: "12.75",
            tax_rate_id: "0e16cdf3-0c1e-4a5b-8d2f-0e16cdf30001",
          },
        ],
      },
      returns: InvoiceRead,
      errors: ["not_found", UNKNOWN_REFERENCE, "conflict errors.invoicing.period_already_billed"],
      exceptions: ECHOED,
      tool: {
        name: "draft_invoice",
        description: "Drafts an invoice for a client with lines of your own. It has no number and is not sent.",
        inArea: true,
        takes: ["company_id", "reference", "intro", "notes", "issue_date", "due_date", "lines"],
      },
      async handler(ctx) {
        return writtenInvoice(await createDraft(ctx.params.body));
      },
    }),

    createFromTime: action({
      rest: "POST /invoicing/invoices/from-time",
      summary: "Draft an invoice of a client's hours",
      description:
        "For all approved, billable and uninvoiced hours up to a day. They are marked as invoiced. `unrated_minutes` are those without a rate.",
      permission: "invoicing.invoice.write",
      body: InvoiceFromTime,
      example: { company_id: "975df61c-0c1e-4a5b-8d2f-975df61c0001", until: "2026-02-28", group_by: "project" },
      returns: InvoiceRead,
      errors: ["not_found", "validation errors.invoicing.no_unbilled"],
      tool: {
        name: "invoice_hours",
        description: "Drafts an invoice of a client's approved, unbilled hours up to a day.",
        inArea: true,
        takes: ["company_id", "project_id", "until", "group_by"],
      },
      async handler(ctx) {
        return writtenInvoice(await invoiceHours(ctx.params.body));
      },
    }),

    get: action({
      rest: "GET /invoicing/invoices/:invoice_id",
      summary: "Read one invoice or credit note",
      permission: "invoicing.invoice.read",
      returns: InvoiceRead,
      handler: (ctx) => oneInvoice(ctx.params.invoice_id),
    }),

    update: action({
      rest: "PATCH /invoicing/invoices/:invoice_id",
      summary: "Change an invoice or a credit note",
      description:
        "Lines are replaced as a whole. Once it is issued, lines, currency, prices and the issue date are fixed; `customer` then fills fields of the bill-to party that were blank, and `seller` a missing country or VAT number of the seller. Once it left the organisation (sent, opened by its link or a client login, exported, or fetched as PDF or e-invoice), everything it prints is fixed but its due date.",
      permission: "invoicing.invoice.write",
      body: InvoiceUpdate,
      example: { reference: "Inkooporder 4021", due_date: "2026-04-06", reminders_paused: true },
      returns: InvoiceRead,
      errors: [
        UNKNOWN_REFERENCE,
        "forbidden",
        "conflict errors.invoicing.locked",
        "conflict errors.invoicing.wrong_status",
        "conflict errors.invoicing.period_already_billed",
      ],
      exceptions: ECHOED,
      async handler(ctx) {
        const invoice = await lockInvoice(ctx.params.invoice_id);
        await changeInvoice(invoice, ctx.params.body);
        return writtenInvoice(invoice.id);
      },
    }),

    remove: action({
      rest: "DELETE /invoicing/invoices/:invoice_id",
      summary: "Delete a draft",
      description: "The work it billed becomes uninvoiced again; the quote it was made from becomes accepted again.",
      permission: "invoicing.invoice.delete",
      errors: ["conflict errors.invoicing.not_draft"],
      async handler(ctx) {
        await deleteDraft(await lockInvoice(ctx.params.invoice_id));
      },
    }),

    issue: action({
      rest: "POST /invoicing/invoices/:invoice_id/issue",
      summary: "Issue a draft",
      description:
        "It gets its number and the current bill-to party, and keeps the current company details, brand and template. A credit note is applied to its invoice; a final invoice of a quote deducts the deposits on it. Hours without a rate need `allow_zero`.",
      permission: "invoicing.invoice.write",
      conditional: true,
      status: 200,
      body: InvoiceIssue,
      example: { issue_date: "2026-03-02", due_date: "2026-03-16" },
      returns: InvoiceRead,
      errors: [
        "validation errors.invoicing.no_lines",
        "validation errors.invoicing.seller_incomplete",
        "conflict errors.invoicing.wrong_status",
        "conflict errors.invoicing.unrated_hours",
        "conflict errors.invoicing.already_credited",
        "conflict errors.invoicing.credit_exceeds",
        "conflict errors.invoicing.deposit_deducted",
        "conflict errors.invoicing.deposit_exceeds",
        "conflict errors.invoicing.number_exhausted",
      ],
      async handler(ctx) {
        const invoice = await lockInvoice(ctx.params.invoice_id);
        await issue(invoice, ctx.params.body);
        return writtenInvoice(invoice.id);
      },
    }),

    cancel: action({
      rest: "POST /invoicing/invoices/:invoice_id/cancel",
      summary: "Cancel an issued invoice or credit note",
      description:
        "It keeps its number. The work it billed becomes uninvoiced again; a credit note returns the applied amount to its invoice.",
      permission: "invoicing.invoice.write",
      conditional: true,
      status: 200,
      returns: InvoiceRead,
      errors: [
        "conflict errors.invoicing.wrong_status",
        "conflict errors.invoicing.has_payments",
        "conflict errors.invoicing.has_credit_notes",
        "conflict errors.invoicing.deposit_deducted",
        "conflict errors.invoicing.credit_released_work",
      ],
      async handler(ctx) {
        const invoice = await lockInvoice(ctx.params.invoice_id);
        await cancelInvoice(invoice);
        return writtenInvoice(invoice.id);
      },
    }),

    credit: action({
      rest: "POST /invoicing/invoices/:invoice_id/credit",
      summary: "Draft a credit note that mirrors an invoice",
      description: "Change its lines to credit only a part. It has no effect before it is issued.",
      permission: "invoicing.invoice.write",
      returns: InvoiceRead,
      errors: [
        "conflict errors.invoicing.wrong_status",
        "conflict errors.invoicing.already_credit_note",
        "conflict errors.invoicing.already_credited",
      ],
      async handler(ctx) {
        return writtenInvoice(await creditInvoice(await lockInvoice(ctx.params.invoice_id)));
      },
    }),
  },
});

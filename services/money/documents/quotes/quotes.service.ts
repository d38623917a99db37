import { action } from "../../../../core/declare/action.ts";
import { page } from "../../../../core/schema/schema.ts";
import { resource } from "../../../../mixins/resource.ts";
import { UNKNOWN_REFERENCE } from "../../refusals.ts";
import { DOCUMENT_PAGE, documentQuery } from "../document-query.ts";
import { InvoiceIssue } from "../document-schemas.ts";
import { writtenInvoice } from "../invoices/invoice-rows.ts";
import { InvoiceRead } from "../invoices/invoice-schemas.ts";
import { Quote } from "../models.ts";
import { draftDeposit } from "./deposit-writes.ts";
import { quoteListing } from "./quote.list.ts";
import { oneQuote, quotes, quotesWithoutLines, writtenQuote } from "./quote-rows.ts";
import { DepositCreate, QUOTE_STATUSES, QuoteCreate, QuoteDecision, QuoteRead, QuoteUpdate } from "./quote-schemas.ts";
import { changeQuote, convertQuote, createQuote, decideQuote, deleteQuote, issueQuote } from "./quote-writes.ts";

export default resource("invoicing.quotes", {
  model: Quote,
  actions: {
    list: action({
      rest: "GET /invoicing/quotes",
      summary: "List quotes",
      description: "`q` searches number and reference. Without `lines` the lines and tax groups are empty.",
      permission: "invoicing.quote.read",
      query: documentQuery(quoteListing.spec.sorts, QUOTE_STATUSES),
      returns: page(QuoteRead),
      handler(ctx) {
        const { status, company_id, lines = true, ...asked } = ctx.params;
        return (lines ? quotes : quotesWithoutLines).page({ limit: DOCUMENT_PAGE, ...asked }, { status, company_id });
      },
    }),

    create: action({
      rest: "POST /invoicing/quotes",
      summary: "Draft a quote",
      permission: "invoicing.quote.write",
      body: QuoteCreate,
      example: {
        company_id: "975df61c-0c1e-4a5b-8d2f-975df61c0001",
        contact_id: "9c9608b9-0c1e-4a5b-8d2f-9c9608b90001",
        reference: "Nieuwe website",
        intro: "Graag bieden wij het volgende aan.",
        valid_until: "2026-04-01",
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
      returns: QuoteRead,
      errors: ["not_found", UNKNOWN_REFERENCE],
      tool: {
        name: "draft_quote",
        description: "Drafts a quote for a client with lines of your own. It is not sent.",
        inArea: true,
        takes: ["company_id", "reference", "intro", "notes", "valid_until", "lines"],
      },
      async handler(ctx) {
        return writtenQuote(await createQuote(ctx.params.body));
      },
    }),

    get: action({
      rest: "GET /invoicing/quotes/:quote_id",
      summary: "Read one quote",
      permission: "invoicing.quote.read",
      returns: QuoteRead,
      handler: (ctx) => oneQuote(ctx.params.quote_id),
    }),

    update: action({
      rest: "PATCH /invoicing/quotes/:quote_id",
      summary: "Change a quote",
      description: "Lines are replaced as a whole. Once it is open, lines, currency, prices and the issue date are fixed.",
      permission: "invoicing.quote.write",
      body: QuoteUpdate,
      example: { valid_until: "2026-04-15" },
      returns: QuoteRead,
      errors: [UNKNOWN_REFERENCE, "conflict errors.invoicing.locked", "conflict errors.invoicing.wrong_status"],
      async handler(ctx) {
        const quote = await quotes.forWrite(ctx.params.quote_id);
        await changeQuote(quote, ctx.params.body);
        return writtenQuote(quote.id);
      },
    }),

    remove: action({
      rest: "DELETE /invoicing/quotes/:quote_id",
      summary: "Delete a quote that is a draft, rejected or expired",
      permission: "invoicing.quote.delete",
      errors: ["conflict errors.invoicing.wrong_status"],
      async handler(ctx) {
        await deleteQuote(await quotes.forWrite(ctx.params.quote_id));
      },
    }),

    issue: action({
      rest: "POST /invoicing/quotes/:quote_id/issue",
      summary: "Issue a draft quote",
      description: "`due_date` is the last day it is valid.",
      permission: "invoicing.quote.write",
      conditional: true,
      status: 200,
      body: InvoiceIssue,
      example: { issue_date: "2026-03-02", due_date: "2026-04-01" },
      returns: QuoteRead,
      errors: [
        "validation errors.invoicing.no_lines",
        "validation errors.invoicing.seller_incomplete",
        "conflict errors.invoicing.wrong_status",
        "conflict errors.invoicing.number_exhausted",
      ],
      async handler(ctx) {
        const quote = await quotes.forWrite(ctx.params.quote_id);
        await issueQuote(quote, ctx.params.body);
        return writtenQuote(quote.id);
      },
    }),

    accept: action({
      rest: "POST /invoicing/quotes/:quote_id/accept",
      summary: "Accept an open or expired quote",
      permission: "invoicing.quote.write",
      conditional: true,
      status: 200,
      body: QuoteDecision,
      example: { note: "Telefonisch akkoord van Anna de Vries." },
      returns: QuoteRead,
      errors: ["conflict errors.invoicing.wrong_status"],
      async handler(ctx) {
        const quote = await quotes.forWrite(ctx.params.quote_id);
        decideQuote(quote, "accepted", ctx.params.body.note);
        return writtenQuote(quote.id);
      },
    }),

    reject: action({
      rest: "POST /invoicing/quotes/:quote_id/reject",
      summary: "Reject an open or expired quote",
      permission: "invoicing.quote.write",
      conditional: true,
      status: 200,
      body: QuoteDecision,
      example: { note: "Budget is er pas volgend jaar." },
      returns: QuoteRead,
      errors: ["conflict errors.invoicing.wrong_status"],
      async handler(ctx) {
        const quote = await quotes.forWrite(ctx.params.quote_id);
        decideQuote(quote, "rejected", ctx.params.body.note);
        return writtenQuote(quote.id);
      },
    }),

    deposit: action({
      rest: "POST /invoicing/quotes/:quote_id/deposit",
      summary: "Draft a deposit on an accepted quote",
      description:
        "An invoice of a share of the quote, with a line for each of its rates. The invoice that the quote becomes deducts issued deposits, with the tax that they state.",
      permission: "invoicing.quote.write",
      also: ["invoicing.invoice.write"],
      conditional: true,
      body: DepositCreate,
      example: { percent: "30" },
      returns: InvoiceRead,
      errors: ["conflict errors.invoicing.wrong_status", "conflict errors.invoicing.deposit_exceeds"],
      async handler(ctx) {
        return writtenInvoice(await draftDeposit(await quotes.forWrite(ctx.params.quote_id), ctx.params.body));
      },
    }),

    convert: action({
      rest: "POST /invoicing/quotes/:quote_id/convert",
      summary: "Draft an invoice of an accepted quote",
      description:
        "With its prices and its tax, whatever the catalogue says now. It deducts the deposits that were issued on the quote.",
      permission: "invoicing.quote.write",
      also: ["invoicing.invoice.write"],
      conditional: true,
      returns: InvoiceRead,
      errors: ["conflict errors.invoicing.wrong_status"],
      async handler(ctx) {
        return writtenInvoice(await convertQuote(await quotes.forWrite(ctx.params.quote_id)));
      },
    }),
  },
});

/** What other parts of money do with invoices: the same functions that the endpoints call. */
export { createDraft, type InvoiceDraft } from "./drafting.ts";
export { issueInvoice } from "./issuing.ts";

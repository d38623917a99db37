/** Invoice functions for other parts of money: the same ones that the endpoints call. */
export { createDraft, type InvoiceDraft } from "./drafting.ts";
export { issueAlone } from "./issue-alone.ts";
export { issueInvoice } from "./issuing.ts";

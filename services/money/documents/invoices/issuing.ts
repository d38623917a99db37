import { requireCustomValues } from "../../../../core/custom-fields/definitions.ts";
import { query } from "../../../../core/database/query.ts";
import { queueUpdate } from "../../../../core/database/write.ts";
import { conflict, invalid, refusal } from "../../../../core/errors/errors.ts";
import { emit } from "../../../../core/jobs/outbox.ts";
import { request } from "../../../../core/request/context.ts";
import { organisationToday } from "../../../../core/request/today.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { customerAtIssue } from "../../calculation/bill-to.ts";
import { promisedDiscount } from "../../calculation/discount.ts";
import { dueDate } from "../../calculation/terms.ts";
import { discountOfClient } from "../../settings/client-terms/client-terms.ts";
import { readSettings, type Settings, usualTerms } from "../../settings/settings-rows.ts";
import { settledDeposits } from "../deposits/deductions.ts";
import { reportWritten } from "../document-reports.ts";
import type { IssueDates } from "../document-schemas.ts";
import type { Owner } from "../lines/line-writes.ts";
import { mintToken } from "../links.ts";
import { Invoice, type InvoiceRow, type QuoteRow } from "../models.ts";
import { nextNumber } from "../numbers.ts";
import { partyOf } from "../parties/billed-party.ts";
import { invoiceFacts } from "../payments/settlement-writes.ts";
import { creditSource, lockSource } from "./crediting.ts";
import { lockInvoice } from "./invoice-rows.ts";
import { UNRATED_MINUTES } from "./readiness.ts";

const HAS_LINES = {
  invoice: statement("select 1 from document_lines where organisation_id = $1 and invoice_id = $2 limit 1"),
  quote: statement("select 1 from document_lines where organisation_id = $1 and quote_id = $2 limit 1"),
};

/** Values set at issue besides the number (money §4 "Issue"). */
export interface Issued {
  settings: Settings;
  customer: InvoiceRow["customer"];
  issue_date: string;
}

/**
 * The issue steps that invoices and quotes share: checks that the document is ready, and copies the current bill-to party.
 * @throws 422 `due_date` for one before its own issue date; 409 `errors.invoicing.wrong_status` unless it is a draft; 400
 * `errors.invoicing.no_lines`, `errors.invoicing.seller_incomplete`
 */
export async function readyToIssue(owner: Owner, document: InvoiceRow | QuoteRow, dates: IssueDates): Promise<Issued> {
  const { organisation } = request();
  if (dates.issue_date && dates.due_date && dates.due_date < dates.issue_date) throw invalid({ due_date: "errors.validation" });
  if (document.status !== "draft") throw conflict("errors.invoicing.wrong_status");
  const [settings, { client, contact }, lines] = await Promise.all([
    readSettings(),
    partyOf(document),
    query(HAS_LINES[owner], [organisation.id, document.id]),
  ]);
  if (lines.length === 0) throw refusal("validation", "errors.invoicing.no_lines");
  if (!settings.company_details.name?.trim()) throw refusal("validation", "errors.invoicing.seller_incomplete");
  return {
    settings,
    customer: customerAtIssue(client, contact, document.customer, organisation.country),
    issue_date: dates.issue_date ?? document.issue_date ?? organisationToday(),
  };
}

const UNRATED = statement(`select ${UNRATED_MINUTES} as minutes from invoices t where t.organisation_id = $1 and t.id = $2`);

/** Minutes of unrated hours that lines bill at price 0, which would give them away. */
async function unratedMinutes({ id }: InvoiceRow): Promise<number> {
  const [row] = await query<{ minutes: number }>(UNRATED, [request().organisation.id, id]);
  return row?.minutes ?? 0;
}

/**
 * Issues a draft that the caller has locked, in the running transaction: sets number, bill-to party and public address, and applies a
 * credit note to its source (money §4, §5, §7).
 * @throws 409 `errors.invoicing.wrong_status`, `errors.invoicing.unrated_hours`, `errors.invoicing.already_credited`,
 * `errors.invoicing.credit_exceeds`, `errors.invoicing.deposit_exceeds`, `errors.invoicing.number_exhausted`; 400 `errors.invoicing.no_lines`,
 * `errors.invoicing.seller_incomplete`; 422 by key where a required custom field is empty
 */
export async function issue(draft: InvoiceRow, dates: IssueDates): Promise<void> {
  // These reads leave in one message.
  const [{ settings, customer, issue_date }, clientDiscount, unrated] = await Promise.all([
    readyToIssue("invoice", draft, dates),
    discountOfClient(draft.company_id),
    dates.allow_zero ? 0 : unratedMinutes(draft),
  ]);
  // Credit notes have no custom fields (money §7). Invoices from hours, a period or a quote were created without a form to fill them in, so
  // required ones are checked here.
  if (draft.kind === "invoice") await requireCustomValues("invoice", draft.custom);
  if (unrated > 0) throw conflict("errors.invoicing.unrated_hours");
  const source = await lockSource(draft);
  const deposits = await settledDeposits(draft);
  const dated = dates.due_date ?? draft.due_date;
  const terms = draft.payment_terms ?? usualTerms(settings);
  const due_date = dated ?? dueDate(issue_date, terms);
  const usual = clientDiscount ?? settings.default_payment_discount;
  const offered = draft.kind === "invoice" ? (draft.payment_discount ?? usual) : null;
  const values = {
    number: await nextNumber("invoice", settings),
    ...promisedDiscount(offered, { ...draft, ...deposits, issue_date, due_date }),
    ...deposits,
    status: "open" as const,
    customer,
    issue_date,
    due_date,
    payment_terms: dated === null ? terms : null,
    public_token: draft.public_token ?? (settings.public_invoice_links ? mintToken() : null),
  };
  queueUpdate(Invoice, draft.id, values);
  const issued = { ...draft, ...values };
  trail("invoice", draft.id, "issued", { number: values.number });
  reportWritten("invoice", draft, values);
  emit("invoice.issued", "invoice", draft.id, invoiceFacts(issued));
  if (source) await creditSource(issued, source);
}

/**
 * Issues a draft by id, for the caller or the service itself (money §4).
 * @throws 404 for a document the caller does not see; the errors of `issue`
 */
export async function issueInvoice(id: string, dates: IssueDates = {}): Promise<void> {
  await issue(await lockInvoice(id), dates);
}

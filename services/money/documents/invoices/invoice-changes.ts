import { customValues } from "../../../../core/custom-fields/definitions.ts";
import type { UpdateOf } from "../../../../core/database/model.ts";
import { query } from "../../../../core/database/query.ts";
import { differences, queueRemove, queueUpdate } from "../../../../core/database/write.ts";
import { conflict } from "../../../../core/errors/errors.ts";
import { emit } from "../../../../core/jobs/outbox.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { reportChange } from "../../../../core/trail/record-changes.ts";
import { changesOf, trail, trailChanges } from "../../../../core/trail/trail.ts";
import { decimal } from "../../../../core/values/money.ts";
import { sentDiscount } from "../../calculation/discount.ts";
import { sentTerms } from "../../calculation/terms.ts";
import { reconcileClaims, releaseClaims } from "../claims/claims.ts";
import { requireNotDeducted } from "../deposits/deducted.ts";
import { deductions, isFinal, requireOwnCurrency } from "../deposits/deductions.ts";
import { changedValues, requireSameClient, requireUnleft, rewrittenLines } from "../document-changes.ts";
import { reportWritten } from "../document-reports.ts";
import { refreezeLook } from "../issued-looks.ts";
import { replaceLines } from "../lines/line-writes.ts";
import { Invoice, type InvoiceRow } from "../models.ts";
import { completedCustomer } from "../parties/customer-completion.ts";
import { invoiceFacts } from "../payments/settlement-writes.ts";
import { touchSource, withdrawCredit } from "./crediting.ts";
import type { InvoiceChange } from "./invoice-schemas.ts";
import { completedSeller } from "./seller-completion.ts";

/** The fields of an issued invoice that may change (money §2 "Update"). */
const AFTER_ISSUE = new Set([
  "company_id",
  "contact_id",
  "reference",
  "intro",
  "notes",
  "template_id",
  "locale",
  "due_date",
  "delivery_date",
  "reminders_paused",
  "exchange_rate",
  "custom",
  "customer",
  "seller",
]);

/** Whether a change gives an issued invoice a due date that its terms do not: it has no terms from then on. */
const isRescheduled = ({ status, due_date }: InvoiceRow, body: InvoiceChange): boolean =>
  status !== "draft" && body.due_date !== undefined && body.due_date !== due_date;

/**
 * Updates an invoice that the caller has locked (money §2 "Update"). Fields that are not sent stay unchanged.
 * @throws 403 for `seller` without its own permission; 409 `errors.invoicing.locked` for fields fixed after issue or once it has left, `errors.invoicing.wrong_status` for the customer of a draft,
 * `errors.invoicing.period_already_billed`; 400 `contact_id`, `template_id`, `lines` for unknown references; 422 for a broken rule
 */
export async function changeInvoice(before: InvoiceRow, body: InvoiceChange): Promise<void> {
  if (before.status !== "draft" && Object.keys(body).some((name) => !AFTER_ISSUE.has(name)))
    throw conflict("errors.invoicing.locked");
  requireSameClient(before, body.company_id);
  const completed = body.customer ? completedCustomer(before, body.customer) : null;
  const seller = body.seller ? await completedSeller(before.id, body.seller) : null;
  const custom = await customValues("invoice", body.custom, "update");
  await requireOwnCurrency(before, body.currency);
  const deducted = isFinal(before) ? (pricing: { prices_include_tax: boolean }) => deductions({ ...before, ...pricing }) : null;
  const rewritten = await rewrittenLines("invoice", before, body, before.kind === "invoice", deducted);
  const values = await changedValues(before, body);
  const after: UpdateOf<typeof Invoice> = {
    ...values,
    ...(completed && { customer: { ...(values.customer ?? before.customer), ...completed } }),
    ...(seller && { seller_filled: { ...before.seller_filled, ...seller } }),
    due_date: body.due_date,
    payment_terms: isRescheduled(before, body) ? null : sentTerms(body.payment_terms),
    payment_discount: sentDiscount(body.payment_discount),
    delivery_date: body.delivery_date,
    reminders_paused: body.reminders_paused,
    custom,
    ...rewritten.totals,
  };
  const changed = differences(before, after);
  if (!changed && !rewritten.lines) return;
  requireUnleft(before, changed);
  queueUpdate(Invoice, before.id, changed ?? {});
  touchSource(before);
  if (changed && "template_id" in changed) refreezeLook("invoice", before.id);
  const filled = Object.keys({ ...completed, ...seller });
  if (filled.length > 0) trail("invoice", before.id, "completed", { fields: filled });
  trailChanges("invoice", before.id, changesOf(Invoice.tracked, before, changed ?? {}), []);
  reportWritten("invoice", before, changed ?? {}, rewritten.lines ? ["lines"] : []);
  if (!rewritten.lines) return;
  replaceLines("invoice", before.id, rewritten.lines);
  await reconcileClaims(before, rewritten.lines);
}

const REOPEN_QUOTE = statement(`update quotes set status = 'accepted', invoice_id = null, version = version + 1,
    updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and invoice_id = $3 and status = 'invoiced' returning id`);

/**
 * Deletes a draft that the caller has locked; releases its claims and sets its quote back to accepted (money §4).
 * @throws 409 `errors.invoicing.not_draft`
 */
export async function deleteDraft(draft: InvoiceRow): Promise<void> {
  if (draft.status !== "draft") throw conflict("errors.invoicing.not_draft");
  await releaseClaims([draft.id]);
  touchSource(draft);
  if (draft.quote_id !== null) {
    const reopened = await query<{ id: string }>(REOPEN_QUOTE, [request().organisation.id, draft.quote_id, draft.id]);
    reportChange(
      "quote",
      reopened.map(({ id }) => id),
      "updated",
      ["status", "invoice_id"],
    );
  }
  queueRemove(Invoice, draft.id);
  reportChange("invoice", [draft.id], "deleted");
}

/**
 * Cancels an issued document that the caller has locked: it keeps its number and its claims are released (money §4, §7).
 * @throws 409 `errors.invoicing.wrong_status`, `errors.invoicing.has_payments`, `errors.invoicing.has_credit_notes`,
 * `errors.invoicing.deposit_deducted`, `errors.invoicing.credit_released_work`, in this order
 */
export async function cancelInvoice(invoice: InvoiceRow): Promise<void> {
  const { id, kind, status, paid_total, credited_total, applied_total } = invoice;
  const isOpen = status === "open" || (kind === "credit_note" && status === "paid");
  if (!isOpen) throw conflict("errors.invoicing.wrong_status");
  if (!decimal(paid_total).isZero()) throw conflict("errors.invoicing.has_payments");
  if (!decimal(credited_total).isZero()) throw conflict("errors.invoicing.has_credit_notes");
  await requireNotDeducted(invoice);
  await withdrawCredit(invoice);
  const withdrawn = { applied_total: "0.00", withdrawn_total: applied_total };
  const values = { status: "cancelled", cancelled_at: new Date().toISOString(), ...withdrawn, paid_at: null } as const;
  queueUpdate(Invoice, id, values);
  await releaseClaims([id]);
  trail("invoice", id, "cancelled");
  reportWritten("invoice", invoice, values);
  emit("invoice.cancelled", "invoice", id, invoiceFacts(invoice));
}

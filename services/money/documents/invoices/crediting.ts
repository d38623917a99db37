import { query } from "../../../../core/database/query.ts";
import { lock, touch } from "../../../../core/database/write.ts";
import { conflict } from "../../../../core/errors/errors.ts";
import { emit } from "../../../../core/jobs/outbox.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { reportChange } from "../../../../core/trail/record-changes.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { type DecimalText, decimal, formatDecimal } from "../../../../core/values/money.ts";
import { applicableCredit, exceedsSource, isCovered, mirrored } from "../../calculation/credit.ts";
import { discountLeft } from "../../calculation/discount.ts";
import { claims } from "../claims/claim-rules.ts";
import { releaseClaims } from "../claims/claims.ts";
import { requireNotDeducted } from "../deposits/deducted.ts";
import { NO_CLAIM } from "../lines/line-values.ts";
import { linesOf } from "../lines/line-writes.ts";
import { Invoice, type InvoiceRow } from "../models.ts";
import { type Credits, invoiceFacts, requireIssued, settle } from "../payments/settlement-writes.ts";
import { storeDraft } from "./drafting.ts";

const NOTES = statement(`select id, total::text as total from invoices
  where organisation_id = $1 and credit_for_id = $2 and kind = 'credit_note' and status in ('open', 'paid')`);

/** Totals of an invoice's issued credit notes, without the note in `except`. */
async function noteTotals(sourceId: string, except?: string): Promise<string[]> {
  const notes = await query<{ id: string; total: string }>(NOTES, [request().organisation.id, sourceId]);
  return notes.filter(({ id }) => id !== except).map(({ total }) => total);
}

/** @throws 409 `errors.invoicing.already_credited` when issued notes cover a source in full */
async function requireUncovered({ id, total }: InvoiceRow): Promise<void> {
  if (isCovered(total, await noteTotals(id))) throw conflict("errors.invoicing.already_credited");
}

/** The columns of a new credit note on an invoice. */
export function noteOf(source: InvoiceRow) {
  const { id, number, company_id, contact_id, customer, currency, exchange_rate, locale, template_id, prices_include_tax } =
    source;
  const copied = { company_id, contact_id, customer, currency, exchange_rate, locale, template_id, prices_include_tax };
  return { ...copied, kind: "credit_note" as const, reference: number, credit_for_id: id };
}

const DISCOUNT_NOTES = statement(`select 1 from invoices where organisation_id = $1 and credit_for_id = $2 and is_discount
  and status in ('open', 'paid') and id is distinct from $3 limit 1`);

/**
 * The balances of a source once credit notes took this off it; a payment takes its discount once (money §6.1).
 * @param except a credit note that is being cancelled
 */
async function creditsOf(source: InvoiceRow, credited_total: DecimalText, except: string | null = null): Promise<Credits> {
  const { id, payment_discount, total, currency } = source;
  if (source.discount_until === null || payment_discount === null) return { credited_total };
  const [taken] = await query(DISCOUNT_NOTES, [request().organisation.id, id, except]);
  const left = taken ? formatDecimal(0) : discountLeft(total, credited_total, payment_discount.percent, currency);
  return { credited_total, discount_left: left };
}

/**
 * Creates a draft credit note that mirrors an invoice the caller has locked (money §7).
 * @returns its id
 * @throws 409 `errors.invoicing.wrong_status`, `errors.invoicing.already_credit_note`, `errors.invoicing.already_credited`
 */
export async function creditInvoice(source: InvoiceRow): Promise<string> {
  requireIssued(source);
  if (source.kind === "credit_note") throw conflict("errors.invoicing.already_credit_note");
  await requireUncovered(source);
  const lines = (await linesOf("invoice", source.id)).map((line) => ({ ...mirrored(line), ...NO_CLAIM, deposit_id: null }));
  const id = await storeDraft(noteOf(source), lines);
  trail("invoice", source.id, "credited", { credit_id: id });
  touch(Invoice, source.id);
  return id;
}

/** A source lists its credit notes, so a change of a draft note changes the source too. */
export function touchSource({ credit_for_id }: Pick<InvoiceRow, "credit_for_id">): void {
  if (credit_for_id === null) return;
  touch(Invoice, credit_for_id);
  reportChange("invoice", [credit_for_id], "updated", ["credit_notes"]);
}

/**
 * Locks the source of a credit note that is about to be issued; null without a source (money §7 "At issue of the note").
 * @throws 409 `errors.invoicing.wrong_status` unless it is open or paid, `errors.invoicing.already_credited` when issued notes cover it,
 * `errors.invoicing.credit_exceeds` when the notes would exceed it, `errors.invoicing.deposit_deducted` for a deposit that an issued final
 * invoice deducts
 */
export async function lockSource(note: InvoiceRow): Promise<InvoiceRow | null> {
  const source = note.credit_for_id === null ? undefined : await lock(Invoice, note.credit_for_id);
  if (!source) return null;
  requireIssued(source);
  const issued = await noteTotals(source.id, note.id);
  if (isCovered(source.total, issued)) throw conflict("errors.invoicing.already_credited");
  if (!note.is_discount) await requireNotDeducted(source);
  const isOther = note.currency !== source.currency;
  if (isOther || exceedsSource(source.total, [...issued, note.total])) throw conflict("errors.invoicing.credit_exceeds");
  return source;
}

/** Applies a just-issued note to its source, both locked; a full credit releases the source's claims (money §7). */
export async function creditSource(note: InvoiceRow, source: InvoiceRow): Promise<void> {
  const applied = applicableCredit(source, note);
  const credited_total = formatDecimal(decimal(source.credited_total).plus(applied));
  if (decimal(applied).greaterThan(0)) trail("invoice", source.id, "credit_applied", { credit_id: note.id, amount: applied });
  await settle(note, { applied_total: applied });
  emit("invoice.credited", "invoice", source.id, {
    ...invoiceFacts(source),
    credit_note_id: note.id,
    credit_note_number: note.number as string,
    credited: formatDecimal(decimal(note.total).negated()),
    applied,
  });
  await settle(source, await creditsOf(source, credited_total));
  const totals = [...(await noteTotals(source.id, note.id)), note.total];
  if (isCovered(source.total, totals) && (await releaseClaims([source.id]))) trail("invoice", source.id, "work_released");
}

/**
 * Reverts a cancelled note's credit on its source (money §7 "Withdrawing"); locks the source after the note.
 * @throws 409 `errors.invoicing.credit_released_work` when the full credit has released work of the source
 */
export async function withdrawCredit(note: InvoiceRow): Promise<void> {
  const source = note.credit_for_id === null ? undefined : await lock(Invoice, note.credit_for_id);
  if (!source) return;
  const [totals, lines] = [await noteTotals(source.id), await linesOf("invoice", source.id)];
  if (isCovered(source.total, totals) && lines.some(claims)) throw conflict("errors.invoicing.credit_released_work");
  const credited_total = formatDecimal(decimal(source.credited_total).minus(decimal(note.applied_total)));
  await settle(source, await creditsOf(source, credited_total, note.id));
}

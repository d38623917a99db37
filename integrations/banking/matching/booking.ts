import { newId } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { lock, queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { runHooks } from "../../../core/declare/catalogue/catalogue.ts";
import { conflict, invalid, notFound } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { type DecimalInput, decimal, formatDecimal, sum } from "../../../core/values/money.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { BankAllocation, BankEntry, type BankEntryRow } from "../models.ts";
import { stateOf } from "./entry-state.ts";

/** A part of an entry for one invoice; `invoice_amount` where the invoice has another currency. */
export interface Allocation {
  invoice_id: string;
  amount: DecimalInput;
  invoice_amount?: DecimalInput | undefined;
}

interface LockedInvoice {
  id: string;
  company_id: string;
  currency: string;
}

/** A credit note is locked before its source, as everywhere: another order could deadlock. */
const LOCK_INVOICES = statement(`select id, company_id, currency from invoices where organisation_id = $1 and id = any($2::uuid[])
  order by credit_for_id is null, id for update`);
const ALLOCATED = statement(`select a.invoice_id, a.payment_id, i.company_id from bank_allocations a
  join invoices i on i.organisation_id = a.organisation_id and i.id = a.invoice_id
  where a.organisation_id = $1 and a.entry_id = $2 order by a.id`);
const NOTE = 255;

/** Locks invoices, which every match does before it locks the entry: a payment that is deleted locks them in that order, too. */
export const lockInvoices = (ids: readonly string[]): Promise<LockedInvoice[]> =>
  query<LockedInvoice>(LOCK_INVOICES, [request().organisation.id, ids]);

/** The stored entry, locked. @throws 404 */
export async function lockEntry(id: string): Promise<BankEntryRow> {
  const row = await lock(BankEntry, id);
  if (!row) throw notFound();
  return row;
}

const facts = ({ id, account, booked_on, amount, currency }: BankEntryRow) => ({
  ...{ entry_id: id, account, booked_on, amount, currency },
});

export { facts as entryFacts };

/** What of an entry is open. */
export const openOf = ({ amount, matched_amount }: Pick<BankEntryRow, "amount" | "matched_amount">) =>
  decimal(amount).minus(decimal(matched_amount));

/** Checks the parts of an entry, and gives them with the currency of their invoices. @throws 409, 422 */
function checked(entry: BankEntryRow, allocations: readonly Allocation[], locked: readonly LockedInvoice[]) {
  if (entry.ignored_as !== null) throw conflict("errors.banking.ignored");
  const invoices = new Map(locked.map((invoice) => [invoice.id, invoice]));
  if (new Set(allocations.map(({ invoice_id }) => invoice_id)).size < allocations.length)
    throw invalid({ allocations: "errors.duplicate" });
  const isOut = decimal(entry.amount).isNegative();
  const parts = allocations.map(({ invoice_id, amount, invoice_amount }) => {
    const invoice = invoices.get(invoice_id);
    if (!invoice) throw invalid({ allocations: "errors.not_found" });
    const part = decimal(amount);
    if (part.isZero() || part.isNegative() !== isOut) throw invalid({ allocations: "errors.banking.direction" });
    const isOwn = invoice.currency === entry.currency;
    if (isOwn && invoice_amount !== undefined && !decimal(invoice_amount).equals(part))
      throw invalid({ allocations: "errors.banking.same_currency" });
    if (!isOwn && invoice_amount === undefined) throw invalid({ allocations: "errors.banking.other_currency" });
    const booked = decimal(invoice_amount ?? amount);
    if (booked.isZero() || booked.isNegative() !== isOut) throw invalid({ allocations: "errors.banking.direction" });
    return { invoice, amount: formatDecimal(part), invoice_amount: formatDecimal(booked) };
  });
  if (
    sum(parts.map(({ amount }) => amount))
      .abs()
      .greaterThan(openOf(entry).abs())
  )
    throw invalid({ allocations: "errors.banking.exceeds" });
  return parts;
}

/** The client of all allocations, or null if they are of several. */
const oneClient = (companies: readonly string[]): string | null =>
  new Set(companies).size === 1 ? (companies[0] as string) : null;

/**
 * Books parts of a locked entry as payments of invoices that the transaction has locked, by the function of `POST …/payments`.
 * @throws 409 for an ignored entry and for an invoice that is neither open nor paid; 422 for parts that are more than is open, in the wrong
 * direction, twice for one invoice, or without the amount of another currency
 */
export async function bookEntry(
  entry: BankEntryRow,
  allocations: readonly Allocation[],
  locked: readonly LockedInvoice[],
): Promise<void> {
  const parts = checked(entry, allocations, locked).map((part) => ({ ...part, payment_id: newId() }));
  const note = shortened([entry.counter_name, entry.description].filter(Boolean).join(": "), NOTE) || null;
  await runHooks("banking.entry_matched", {
    payments: parts.map(({ payment_id, invoice, invoice_amount }) => ({
      id: payment_id,
      invoice_id: invoice.id,
      amount: invoice_amount,
      paid_on: entry.booked_on,
      note,
    })),
  });
  const earlier = await query<{ company_id: string }>(ALLOCATED, [request().organisation.id, entry.id]);
  for (const { payment_id, invoice, amount, invoice_amount } of parts)
    queueInsert(BankAllocation, { entry_id: entry.id, invoice_id: invoice.id, payment_id, amount, invoice_amount });
  const matched = sum([entry.matched_amount, ...parts.map(({ amount }) => amount)]);
  const companies = [...earlier.map(({ company_id }) => company_id), ...parts.map(({ invoice }) => invoice.company_id)];
  const company_id = oneClient(companies);
  const open_amount = decimal(entry.amount).minus(matched);
  queueUpdate(BankEntry, entry.id, {
    matched_amount: formatDecimal(matched),
    company_id,
    proposals: [],
    state: stateOf({ open_amount, ignored_as: null, proposals: [] }),
  });
  const invoice_ids = parts.map(({ invoice }) => invoice.id);
  emit("banking.entry.matched", "bank_entry", entry.id, { ...facts(entry), company_id, invoice_ids });
  trail("bank_entry", entry.id, "matched", { amount: formatDecimal(sum(parts.map((part) => part.amount))), invoice_ids });
}

/**
 * Removes the payments that an entry has booked; what follows for the entry is what follows when they are deleted at their invoices.
 * @throws 404; 409 `errors.banking.not_matched`, and when another request matches the entry meanwhile
 */
export async function unbookEntry(id: string, permit: (row: BankEntryRow) => void): Promise<void> {
  const { organisation } = request();
  const read = () => query<{ invoice_id: string; payment_id: string }>(ALLOCATED, [organisation.id, id]);
  const before = await read();
  await lockInvoices(before.map(({ invoice_id }) => invoice_id));
  permit(await lockEntry(id));
  const payments = (await read()).map(({ payment_id, invoice_id }) => ({ id: payment_id, invoice_id }));
  if (payments.length === 0) throw conflict("errors.banking.not_matched");
  const isLocked = new Set(before.map(({ invoice_id }) => invoice_id));
  if (payments.some(({ invoice_id }) => !isLocked.has(invoice_id))) throw conflict();
  await runHooks("banking.entry_unmatched", { payments });
}

const OF_PAYMENT = statement(`select a.id, a.entry_id, a.amount::text as amount, a.invoice_id from bank_allocations a
  where a.organisation_id = $1 and a.payment_id = $2`);
const REMOVE = statement("delete from bank_allocations where organisation_id = $1 and id = $2");

/** Opens the part of an entry whose payment is deleted, by whatever way; the transaction has locked the invoice. */
export async function openAgain(paymentId: string): Promise<string | null> {
  const { organisation } = request();
  const found = await queryOne<{ id: string; entry_id: string; amount: string; invoice_id: string }>(OF_PAYMENT, [
    organisation.id,
    paymentId,
  ]);
  if (!found) return null;
  const entry = await lockEntry(found.entry_id);
  await query(REMOVE, [organisation.id, found.id]);
  const rest = await query<{ company_id: string }>(ALLOCATED, [organisation.id, entry.id]);
  queueUpdate(BankEntry, entry.id, {
    matched_amount: formatDecimal(decimal(entry.matched_amount).minus(decimal(found.amount))),
    company_id: oneClient(rest.map(({ company_id }) => company_id)),
    state: "open",
  });
  const { company_id } = entry;
  emit("banking.entry.unmatched", "bank_entry", entry.id, { ...facts(entry), company_id, invoice_ids: [found.invoice_id] });
  trail("bank_entry", entry.id, "unmatched", { amount: found.amount, invoice_ids: [found.invoice_id] });
  return entry.id;
}

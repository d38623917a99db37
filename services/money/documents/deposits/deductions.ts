import { query, queryOne } from "../../../../core/database/query.ts";
import { conflict } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import type { DecimalText } from "../../../../core/values/money.ts";
import { deductedLine, exceedsQuote } from "../../calculation/deposits.ts";
import type { TaxCategory } from "../../calculation/groups.ts";
import { totalsOf } from "../../calculation/totals.ts";
import { type NewLine, NO_CLAIM, requireStorable } from "../lines/line-values.ts";
import { linesOf, replaceLines } from "../lines/line-writes.ts";
import type { InvoiceRow } from "../models.ts";

/** What issued credit notes took off deposit `d`. A discount for early payment is not: its payment settled the whole deposit. */
const NOTES = `invoices n where n.organisation_id = d.organisation_id and n.credit_for_id = d.id and n.kind = 'credit_note'
      and n.status in ('open', 'paid') and not n.is_discount`;

/** Issued deposits on quote `$2` by rate, less what was credited. */
const ISSUED =
  statement(`select d.id, d.number, d.issue_date::text as issue_date, g.category, round(g.rate_pct, 2)::text as rate_pct,
    max(g.name) as name, sum(g.base)::text as base, sum(g.tax)::text as tax,
    (select l.tax_rate_id from document_lines l where l.organisation_id = d.organisation_id and l.invoice_id = d.id
      and l.tax_category = g.category and l.tax_rate_pct = g.rate_pct order by l.position limit 1) as tax_rate_id
  from invoices d
    cross join lateral (select d.tax_groups union all select n.tax_groups from ${NOTES}) a
    cross join lateral jsonb_to_recordset(a.tax_groups) as g (name text, category text, rate_pct numeric, base numeric, tax numeric)
  where d.organisation_id = $1 and d.deposit_of = $2 and d.status in ('open', 'paid')
  group by d.id, d.number, d.issue_date, d.organisation_id, g.category, g.rate_pct
  having sum(g.base) <> 0 or sum(g.tax) <> 0
  order by d.issue_date, d.number, g.rate_pct desc, g.category`);
/** Deposits before the rows that depend on them, so that a credit note waits for the final invoice or goes before it. */
const LOCK_DEPOSITS = statement(`select id from invoices where organisation_id = $1 and deposit_of = $2 order by id for update`);
const LOCK_QUOTE = statement("select total::text as total from quotes where organisation_id = $1 and id = $2 for update");
const DEPOSITED = statement(`select coalesce(sum(d.total + coalesce((select sum(n.total) from ${NOTES}), 0)), 0)::text as total
  from invoices d where d.organisation_id = $1 and d.deposit_of = $2 and d.status = any($4) and d.id is distinct from $3`);
const FINAL = statement(
  `select 1 from invoices where organisation_id = $1 and quote_id = $2 and status in ('open', 'paid') limit 1`,
);
const HAS_DEPOSITS = statement(
  "select 1 from invoices where organisation_id = $1 and deposit_of = $2 and status <> 'cancelled' limit 1",
);

interface DeductedRate {
  id: string;
  number: string;
  issue_date: string;
  category: TaxCategory;
  rate_pct: DecimalText;
  name: string;
  base: DecimalText;
  tax: DecimalText;
  tax_rate_id: string | null;
}

/** A final invoice, or the quote it is made from. */
interface Final {
  quote_id: string | null;
  prices_include_tax: boolean;
  locale: string;
}

/** Whether an invoice is the one that a quote became. */
export const isFinal = ({ kind, quote_id }: Pick<InvoiceRow, "kind" | "quote_id">): boolean =>
  kind === "invoice" && quote_id !== null;

/** The lines by which a final invoice deducts the issued deposits on its quote, one for each of their rates (money §10.1). */
export async function deductions({ quote_id, prices_include_tax, locale }: Final): Promise<NewLine[]> {
  const rates = await query<DeductedRate>(ISSUED, [request().organisation.id, quote_id]);
  return rates.map(({ id, category, rate_pct, name, tax_rate_id, ...deposit }) => ({
    ...deductedLine(deposit, prices_include_tax, locale),
    ...NO_CLAIM,
    line_kind: "product",
    quantity: "1.00",
    unit: null,
    tax_rate_id,
    tax_rate_pct: rate_pct,
    tax_category: category,
    tax_name: name,
    deposit_id: id,
  }));
}

const compared = (lines: readonly NewLine[]): string =>
  JSON.stringify(lines.map(({ deposit_id, amount, tax_amount, tax_rate_pct }) => [deposit_id, amount, tax_amount, tax_rate_pct]));

/** Locks the quote, then its deposits. @returns the quote's total */
async function lockDeposits(quoteId: string): Promise<DecimalText> {
  const { organisation } = request();
  const quote = await queryOne<{ total: DecimalText }>(LOCK_QUOTE, [organisation.id, quoteId]);
  await query(LOCK_DEPOSITS, [organisation.id, quoteId]);
  return (quote as { total: DecimalText }).total;
}

/**
 * Requires that the deposits on a quote, which the transaction has locked, stay within its total.
 * @param statuses those of the other deposits that count
 * @throws 409 `errors.invoicing.deposit_exceeds`
 */
export async function requireRoom(
  quote: { id: string; total: DecimalText },
  deposit: { id: string | null; total: DecimalText },
  statuses: readonly string[],
): Promise<void> {
  const row = await queryOne<{ total: DecimalText }>(DEPOSITED, [request().organisation.id, quote.id, deposit.id, statuses]);
  if (exceedsQuote(quote.total, [(row as { total: DecimalText }).total, deposit.total]))
    throw conflict("errors.invoicing.deposit_exceeds");
}

/**
 * Prepares deposits for the issue of an invoice that the caller has locked: a final invoice deducts those of now, whatever its draft
 * deducted; a deposit must fit into its quote, and come before the final invoice.
 * @returns the changed totals of the draft; empty if nothing changed
 * @throws 409 `errors.invoicing.wrong_status` for a deposit after the final invoice, `errors.invoicing.deposit_exceeds`
 */
export async function settledDeposits(draft: InvoiceRow): Promise<Partial<ReturnType<typeof totalsOf>>> {
  const { organisation } = request();
  const { id, deposit_of, quote_id, total } = draft;
  if (deposit_of !== null) {
    const quote = { id: deposit_of, total: await lockDeposits(deposit_of) };
    if (await queryOne(FINAL, [organisation.id, deposit_of])) throw conflict("errors.invoicing.wrong_status");
    await requireRoom(quote, { id, total }, ["open", "paid"]);
    return {};
  }
  if (!isFinal(draft)) return {};
  await lockDeposits(quote_id as string);
  const stored = await linesOf("invoice", id);
  const own = stored.filter((line) => line.deposit_id === null);
  const deducted = await deductions(draft);
  if (compared(stored.filter((line) => line.deposit_id !== null)) === compared(deducted)) return {};
  const lines = [...own, ...deducted];
  replaceLines("invoice", id, lines);
  return requireStorable(totalsOf(lines, draft));
}

/**
 * Requires that an invoice with deposits, or a deposit, keeps the currency of its quote.
 * @throws 409 `errors.invoicing.locked` on `currency`
 */
export async function requireOwnCurrency(before: InvoiceRow, sent: string | null | undefined): Promise<void> {
  if (!sent || sent.toUpperCase() === before.currency) return;
  const isDeposit = before.deposit_of !== null;
  const hasDeposits = isFinal(before) && (await queryOne(HAS_DEPOSITS, [request().organisation.id, before.quote_id]));
  if (isDeposit || hasDeposits) throw conflict("errors.invoicing.locked", "currency");
}

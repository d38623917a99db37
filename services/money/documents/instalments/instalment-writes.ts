import { attempt } from "../../../../core/database/connection/savepoint.ts";
import { query, queryOne } from "../../../../core/database/query.ts";
import { lock, queueInsert, queueRemove, queueUpdate, touch } from "../../../../core/database/write.ts";
import { conflict, invalid, isApiError } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import { JsonText } from "../../../../core/sql/json-text.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { reportChange } from "../../../../core/trail/record-changes.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { type DecimalText, decimal, formatDecimal, sum } from "../../../../core/values/money.ts";
import { shareOf } from "../../calculation/deposits.ts";
import { brokenRule, keepsInvoiced } from "../../calculation/instalments.ts";
import { issueAlone } from "../invoices/issue-alone.ts";
import { type InstalmentMode, Quote, QuoteInstalment, type QuoteRow } from "../models.ts";
import { draftDeposit } from "../quotes/deposit-writes.ts";
import { convertQuote, requireStatus } from "../quotes/quote-writes.ts";
import type { InstalmentsWish } from "./instalment-schemas.ts";

interface StoredTurn {
  id: string;
  due_on: string;
  percent: DecimalText;
  mode: InstalmentMode;
  invoice_id: string | null;
}

const PLAN = statement(`select id, due_on::text as due_on, percent::text as percent, mode, invoice_id from quote_instalments
  where organisation_id = $1 and quote_id = $2 order by due_on`);
const plan = (quoteId: string): Promise<StoredTurn[]> => query<StoredTurn>(PLAN, [request().organisation.id, quoteId]);

/** The plan of a quote, as answered, with the quote's version. */
export async function planOf({ id, total, currency, version }: QuoteRow): Promise<JsonText> {
  const turns = await plan(id);
  const shares = turns.map(({ percent }) => shareOf(total, percent, currency));
  const instalments = turns.map(({ mode: _, ...turn }, index) => {
    const isLast = index === turns.length - 1;
    const others = sum(shares.slice(0, -1));
    return { ...turn, amount: isLast ? formatDecimal(decimal(total).minus(others)) : shares[index] };
  });
  return new JsonText(JSON.stringify({ quote_id: id, mode: turns.at(-1)?.mode ?? "draft", instalments }), version);
}

/**
 * Replaces the plan of a quote that the caller has locked (money §10.2). Turns that have been invoiced stay as they are.
 * @throws 409 `errors.invoicing.wrong_status` once the quote is rejected, expired or invoiced, `errors.invoicing.locked` for a plan without a
 * turn that has been invoiced; 422 `due_on`, `percent`
 */
export async function storePlan(quote: QuoteRow, { mode = "draft", instalments }: InstalmentsWish): Promise<void> {
  requireStatus(quote, "draft", "open", "accepted");
  const broken = brokenRule(instalments);
  if (broken) throw invalid({ [broken]: "errors.validation" });
  const stored = await plan(quote.id);
  const invoiced = stored.filter(({ invoice_id }) => invoice_id !== null);
  if (!keepsInvoiced(invoiced, instalments)) throw conflict("errors.invoicing.locked", "instalments");
  for (const { id, invoice_id } of stored) if (invoice_id === null) queueRemove(QuoteInstalment, id);
  const isInvoiced = new Set(invoiced.map(({ due_on }) => due_on));
  for (const { due_on, percent } of instalments)
    if (!isInvoiced.has(due_on))
      queueInsert(QuoteInstalment, { quote_id: quote.id, due_on, percent: formatDecimal(percent), mode });
  touch(Quote, quote.id);
  trail("quote", quote.id, "instalments_changed", { count: instalments.length });
  reportChange("quote", [quote.id], "updated", ["instalments"]);
}

const TURN = statement("select quote_id, due_on::text as due_on from quote_instalments where organisation_id = $1 and id = $2");

/**
 * Makes the invoice of a due turn: a deposit of its share, or of the last turn the final invoice, which deducts the others (money §10.2). Does
 * nothing for a turn that is gone or invoiced, and while the quote is not accepted. A refusal stays in the trail, and the turn stays due.
 */
export async function billTurn(id: string): Promise<void> {
  const { organisation } = request();
  const found = await queryOne<{ quote_id: string }>(TURN, [organisation.id, id]);
  const quote = found && (await lock(Quote, found.quote_id));
  if (quote?.status !== "accepted") return;
  // Read again under the lock: another run may have made its invoice, or the plan may have changed.
  const open = (await plan(quote.id)).filter(({ invoice_id }) => invoice_id === null);
  const turn = open.find((one) => one.id === id);
  if (!turn) return;
  const isLast = open.length === 1;
  let made: string | undefined;
  const failed = await attempt(async () => {
    made = isLast ? await convertQuote(quote) : await draftDeposit(quote, { percent: turn.percent });
  });
  if (failed !== null) {
    if (!isApiError(failed)) throw failed;
    trail("quote", quote.id, "instalment_failed", { due_on: turn.due_on, reason: failed.message });
    return;
  }
  const invoice_id = made as string;
  queueUpdate(QuoteInstalment, id, { invoice_id });
  trail("quote", quote.id, "instalment_invoiced", { invoice_id, due_on: turn.due_on });
  reportChange("quote", [quote.id], "updated", ["instalments"]);
  if (turn.mode !== "draft") await issueAlone(invoice_id, turn.mode === "send");
}

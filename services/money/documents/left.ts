import { enqueue, query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import type { Owner } from "./lines/line-writes.ts";
import type { InvoiceRow, QuoteRow } from "./models.ts";

const STAYS = "organisation_id = $1 and id = any($2) and status <> 'draft' and left_at is null";
const FRESH = {
  invoice: statement(`select 1 from invoices where ${STAYS} limit 1`),
  quote: statement(`select 1 from quotes where ${STAYS} limit 1`),
};
const STAMP = {
  invoice: statement(`update invoices set left_at = statement_timestamp() where ${STAYS}`),
  quote: statement(`update quotes set left_at = statement_timestamp() where ${STAYS}`),
};

/** Whether a document has left: it never changes again. Nodes of the version before stamp `sent_at` alone. */
export const hasLeft = ({ left_at, sent_at }: Pick<InvoiceRow | QuoteRow, "left_at" | "sent_at">): boolean =>
  left_at !== null || sent_at !== null;

/** Does work in the request's transaction; a read gets one of its own for it. */
export function inWrite<T>(work: () => Promise<T>): Promise<T> {
  const { mode, transaction } = request();
  return mode === "write" || transaction ? work() : inOwnTransaction(work);
}

/**
 * Records that issued documents leave the organisation (money §4): the one function of every door through which they do. Drafts stay.
 * @returns whether one of them left now
 */
export async function stampLeft(owner: Owner, ids: readonly string[]): Promise<boolean> {
  const values = [request().organisation.id, ids];
  if (ids.length === 0 || (await query(FRESH[owner], values)).length === 0) return false;
  await inWrite(async () => enqueue(STAMP[owner], values));
  return true;
}

/**
 * Reads documents for a reader outside the organisation. If they leave by it, it reads them again, so that no change comes between what was
 * read and the stamp.
 * @param idsOf the documents in an answer
 */
export async function shownOutside<T>(owner: Owner, read: () => Promise<T>, idsOf: (answer: T) => readonly string[]): Promise<T> {
  const answer = await read();
  return (await stampLeft(owner, idsOf(answer))) ? read() : answer;
}

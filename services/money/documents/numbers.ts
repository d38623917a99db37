import { yearOf } from "../../../core/calendar/calendar.ts";
import { query } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { conflict } from "../../../core/declare/errors.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { type Allocated, allocate, candidates, sequenceOf } from "../calculation/numbering.ts";
import { lockSettings, storeSettings } from "../settings/settings-rows.ts";
import type { Owner } from "./lines/line-writes.ts";

const takenIn = (table: string) =>
  statement(`select number from ${table} where organisation_id = $1 and number = any($2::text[])`);
const TAKEN = { invoice: takenIn("invoices"), quote: takenIn("quotes") };

/**
 * The next number of invoices and credit notes, or of quotes (money §5). The settings stay locked until the transaction ends, and what it
 * takes back is given again: numbers have no gap. The year is that of today in the organisation's zone.
 * @throws 409 `errors.invoicing.number_exhausted` when a thousand numbers in a row are in use
 */
export async function nextNumber(owner: Owner): Promise<string> {
  const sequence = sequenceOf(await lockSettings(), owner);
  const year = yearOf(organisationToday());
  const taken = new Set<string>();
  const look = async (some: Iterable<Allocated>) => {
    const numbers = Array.from(some, ({ number }) => number);
    const rows = await query<{ number: string }>(TAKEN[owner], [request().organisation.id, numbers]);
    for (const { number } of rows) taken.add(number);
  };
  // The first is nearly always free.
  await look(candidates(sequence, year).take(1));
  if (taken.size > 0) await look(candidates(sequence, year).drop(1));
  const made = allocate(sequence, year, (number) => taken.has(number));
  if (!made) throw conflict("errors.invoicing.number_exhausted");
  storeSettings({ [`${owner}_next_seq`]: String(made.next_seq), [`${owner}_seq_year`]: made.seq_year });
  return made.number;
}

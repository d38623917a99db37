import { yearOf } from "../../../core/calendar/calendar.ts";
import { query, queryAll } from "../../../core/database/query.ts";
import { conflict } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { type Allocated, allocate, candidates, sequenceOf } from "../calculation/numbering.ts";
import { LOCK_SETTINGS, lockSettings, type Settings, storeSettings } from "../settings/settings-rows.ts";
import type { Owner } from "./lines/line-writes.ts";

const TABLES = { invoice: "invoices", quote: "quotes" } as const;
const takenIn = (table: string) =>
  statement(`select number from ${table} where organisation_id = $1 and number = any($2::text[])`);
const TAKEN = { invoice: takenIn(TABLES.invoice), quote: takenIn(TABLES.quote) };

/** Numbers rendered before the counter is locked: how far concurrent callers may have advanced it. */
const AHEAD = 50;

/**
 * Allocates the first free one of numbers rendered from settings read earlier: `$2` numbers, `$3` the next sequence to store for each, `$4`
 * the year, then the format, yearly reset, next sequence and year as read. Changes nothing if no number is free, or if the settings have
 * changed, except for a counter that only advanced in the same year.
 */
const take = (owner: Owner) =>
  statement(`update invoicing_settings s set ${owner}_next_seq = c.next_seq, ${owner}_seq_year = $4,
      version = version + 1, updated_at = statement_timestamp()
    from (select o.number, o.next_seq from invoicing_settings n
            cross join unnest($2::text[], $3::bigint[]) with ordinality o(number, next_seq, place)
           where n.organisation_id = $1 and n.${owner}_number_format = $5 and n.number_reset_yearly = $6
             and (n.${owner}_next_seq = $7::bigint and n.${owner}_seq_year is not distinct from $8::int
               or n.${owner}_seq_year = $4 and o.next_seq > n.${owner}_next_seq and n.${owner}_next_seq >= ($3::bigint[])[1])
             and not exists (select 1 from ${TABLES[owner]} t where t.organisation_id = $1 and t.number = o.number)
           order by o.place limit 1) c
   where s.organisation_id = $1 returning c.number`);
const TAKE = { invoice: take("invoice"), quote: take("quote") };

/**
 * The next number of invoices and credit notes, or of quotes (money §5). Locks the settings until the transaction ends; a rolled-back
 * number is allocated again, so numbers have no gaps. Call it last before the writes of an issue: lock, check and count are one message,
 * and the writes are sent with the commit. The year is today's in the organisation's zone.
 * @param read the settings as this transaction read them, unlocked
 * @throws 409 `errors.invoicing.number_exhausted` when a thousand numbers in a row are in use
 */
export async function nextNumber(owner: Owner, read: Settings): Promise<string> {
  const sequence = sequenceOf(read, owner);
  const year = yearOf(organisationToday());
  const ahead = [...candidates(sequence, year).take(AHEAD)];
  const { id } = request().organisation;
  const [, taken] = await queryAll(
    [LOCK_SETTINGS, [id]],
    [
      TAKE[owner],
      [
        id,
        ahead.map(({ number }) => number),
        ahead.map(({ next_seq }) => next_seq),
        year,
        sequence.format,
        sequence.reset_yearly,
        sequence.next_seq,
        sequence.seq_year,
      ],
    ],
  );
  return (taken?.[0]?.["number"] as string | undefined) ?? searchNumber(owner, year);
}

/** Searches all candidate numbers, when the settings have changed or the next numbers are in use. */
async function searchNumber(owner: Owner, year: number): Promise<string> {
  const sequence = sequenceOf(await lockSettings(), owner);
  const all = [...candidates(sequence, year)];
  const numbers = all.map(({ number }: Allocated) => number);
  const rows = await query<{ number: string }>(TAKEN[owner], [request().organisation.id, numbers]);
  const taken = new Set(rows.map(({ number }) => number));
  const made = allocate(sequence, year, (number) => taken.has(number));
  if (!made) throw conflict("errors.invoicing.number_exhausted");
  storeSettings({ [`${owner}_next_seq`]: String(made.next_seq), [`${owner}_seq_year`]: made.seq_year });
  return made.number;
}

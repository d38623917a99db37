import { query } from "../../../../core/database/query.ts";
import { runHooks } from "../../../../core/declare/catalogue/catalogue.ts";
import { conflict } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { trail } from "../../../../core/trail/trail.ts";
import type { NewLine } from "../lines/line-values.ts";
import { BILLABLE, CLIENT_OF_ENTRY } from "./billable.ts";
import { type ClaimedPeriod, type Claims, claimsOf, keptClaims } from "./claim-rules.ts";

const HELD_ENTRIES = statement(
  "select time_entry_id as id from time_entry_claims where organisation_id = $1 and invoice_id = $2",
);
const HELD_PERIODS = statement(
  "select source, source_id, period_end, period_start from period_claims where organisation_id = $1 and invoice_id = $2",
);
/** Locks in id order; PostgreSQL re-checks the conditions after waiting for another document's lock. */
const CLAIM_ENTRIES = statement(`with found as materialized (select t.id from time_entries t
    where t.organisation_id = $1 and t.id = any($3::uuid[]) and ${BILLABLE} and ${CLIENT_OF_ENTRY} = $4 order by t.id for update of t)
  insert into time_entry_claims (organisation_id, time_entry_id, invoice_id) select $1, id, $2 from found order by id
  on conflict (organisation_id, time_entry_id) do nothing returning time_entry_id as id`);
const DROP_ENTRIES = statement(`delete from time_entry_claims where organisation_id = $1 and invoice_id = $2
  and time_entry_id = any($3::uuid[]) returning time_entry_id as id`);
/** Claims a period only if its agreement or domain belongs to this client. */
const CLAIM_PERIODS = statement(`with wanted as materialized (
    select p.source, p.source_id, p.period_end, p.period_start
      from jsonb_to_recordset($3::jsonb) p (source text, source_id uuid, period_end date, period_start date)
     where case p.source
         when 'domain' then exists (select 1 from domains d
           where d.organisation_id = $1 and d.id = p.source_id and d.company_id = $4)
         else exists (select 1 from subscriptions s
           where s.organisation_id = $1 and s.id = p.source_id and s.company_id = $4) end),
  made as (insert into period_claims (organisation_id, source, source_id, period_end, period_start, invoice_id)
    select $1, source, source_id, period_end, period_start, $2 from wanted order by source, source_id, period_end
    on conflict on constraint period_claims_key do nothing returning 1)
  select (select count(*)::int from wanted) as wanted, (select count(*)::int from made) as made`);
const DROP_PERIODS =
  statement(`delete from period_claims c using jsonb_to_recordset($3::jsonb) p (source text, source_id uuid, period_end date)
  where c.organisation_id = $1 and c.invoice_id = $2 and c.source = p.source and c.source_id = p.source_id and c.period_end = p.period_end`);

const RELEASE_ENTRIES = statement(`delete from time_entry_claims where organisation_id = $1 and invoice_id = any($2::uuid[])
  returning time_entry_id as id`);
const RELEASE_PERIODS = statement(
  "delete from period_claims where organisation_id = $1 and invoice_id = any($2::uuid[]) returning period_end",
);

interface Claiming {
  readonly id: string;
  readonly company_id: string;
}

const place = (id: string): [string, string] => [request().organisation.id, id];

async function held(id: string): Promise<Claims> {
  const [entries, periods] = await Promise.all([
    query<{ id: string }>(HELD_ENTRIES, place(id)),
    query<ClaimedPeriod>(HELD_PERIODS, place(id)),
  ]);
  return { entries: entries.map((entry) => entry.id), periods };
}

async function claimEntries({ id, company_id }: Claiming, entries: readonly string[]): Promise<void> {
  if (entries.length === 0) return;
  const made = await query<{ id: string }>(CLAIM_ENTRIES, [...place(id), entries, company_id]);
  if (made.length === 0) return;
  await runHooks("invoice.hours_claimed", { entry_ids: made.map((entry) => entry.id) });
  trail("invoice", id, "time_attached", { entries: made.length });
}

async function releaseEntries(id: string, entries: readonly string[]): Promise<void> {
  if (entries.length === 0) return;
  const gone = await query<{ id: string }>(DROP_ENTRIES, [...place(id), entries]);
  if (gone.length > 0) await runHooks("invoice.hours_released", { entry_ids: gone.map((entry) => entry.id) });
}

/** @throws 409 `errors.invoicing.period_already_billed` when another document claims one of them */
async function claimPeriods({ id, company_id }: Claiming, periods: readonly ClaimedPeriod[]): Promise<void> {
  if (periods.length === 0) return;
  const [counted] = await query<{ wanted: number; made: number }>(CLAIM_PERIODS, [
    ...place(id),
    JSON.stringify(periods),
    company_id,
  ]);
  if (counted && counted.made < counted.wanted) throw conflict("errors.invoicing.period_already_billed", "lines");
}

async function releasePeriods(id: string, periods: readonly ClaimedPeriod[]): Promise<void> {
  if (periods.length > 0) await query(DROP_PERIODS, [...place(id), JSON.stringify(periods)]);
}

/**
 * Syncs a document's claims with its lines, in the transaction that writes them (money §8): releases dropped claims and adds new ones.
 * Skips hours that are not invoiceable or belong to another client.
 * @param isNew whether the document was just created and has no claims yet
 * @throws 409 `errors.invoicing.period_already_billed` for a period that another document bills
 */
export async function reconcileClaims(document: Claiming, lines: readonly NewLine[], isNew = false): Promise<void> {
  const before: Claims = isNew ? { entries: [], periods: [] } : await held(document.id);
  const after = keptClaims(before, claimsOf(lines), lines);
  const isPeriod = (one: ClaimedPeriod) => (other: ClaimedPeriod) =>
    one.source === other.source && one.source_id === other.source_id && one.period_end === other.period_end;
  const [had, has] = [new Set(before.entries), new Set(after.entries)];
  await releaseEntries(
    document.id,
    before.entries.filter((id) => !has.has(id)),
  );
  await releasePeriods(
    document.id,
    before.periods.filter((period) => !after.periods.some(isPeriod(period))),
  );
  await claimPeriods(
    document,
    after.periods.filter((period) => !before.periods.some(isPeriod(period))),
  );
  await claimEntries(
    document,
    after.entries.filter((id) => !had.has(id)),
  );
}

/**
 * Releases all claims of documents: on deletion, cancellation and full credit (money §8).
 * @returns whether there were any
 */
export async function releaseClaims(ids: readonly string[]): Promise<boolean> {
  const values = [request().organisation.id, ids];
  const [entries, periods] = await Promise.all([query<{ id: string }>(RELEASE_ENTRIES, values), query(RELEASE_PERIODS, values)]);
  if (entries.length > 0) await runHooks("invoice.hours_released", { entry_ids: entries.map(({ id }) => id) });
  return entries.length + periods.length > 0;
}

import { query } from "../../../../core/database/query.ts";
import type { Hook } from "../../../../core/declare/hooks.ts";
import { conflict } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { trailAll } from "../../../../core/trail/trail.ts";

/**
 * The documents that claim entries, locked so that none is issued until this transaction ends: an entry checked as unbilled must still be
 * unbilled at commit.
 */
const CLAIMED_BY = statement(`select i.status from time_entry_claims k
  join invoices i on i.organisation_id = k.organisation_id and i.id = k.invoice_id
  where k.organisation_id = $1 and k.time_entry_id = any($2::uuid[]) order by i.id for share of i`);

/**
 * Requires that no issued document has billed the entries: a billed entry is locked, even for its owner; a draft gives way. Every path that
 * changes or deletes an entry or takes it off an invoice calls this with the entries locked, so that no document claims them meanwhile.
 * @throws 409 `errors.time_entry_invoiced` (work chapter §4.1, "Billed entries are locked")
 */
export async function requireUnbilled(ids: readonly string[]): Promise<void> {
  const found = await query<{ status: string }>(CLAIMED_BY, [request().organisation.id, ids]);
  if (found.some(({ status }) => status !== "draft")) throw conflict("errors.time_entry_invoiced");
}

/** Locks rows in the order of their ids, as every stamp does. */
const compiled = (on: string, value: string) =>
  statement(`with found as materialized (select t.id from time_entries t
      where t.organisation_id = $1 and t.id = any($2::uuid[]) and ${on} order by t.id for update)
    update time_entries t set invoiced_at = ${value}, version = t.version + 1, updated_at = statement_timestamp()
      from found f where t.organisation_id = $1 and t.id = f.id
    returning t.id`);
const STAMP = compiled("t.invoiced_at is null", "statement_timestamp()");
const CLEAR = compiled("t.invoiced_at is not null", "null");

async function stamp(ids: readonly string[], text: typeof STAMP, line: "invoiced" | "uninvoiced"): Promise<void> {
  const changed = await query<{ id: string }>(text, [request().organisation.id, ids]);
  trailAll(
    "time_entry",
    changed.map(({ id }) => id),
    line,
  );
}

/**
 * When a document claims hours, stamps them as invoiced in its transaction, with a trail line each (work chapter §4.4). Includes hours
 * outside the caller's selection, because the document has already checked them.
 */
export const stampBilled: Hook<"invoice.hours_claimed"> = ({ entry_ids }) => stamp(entry_ids, STAMP, "invoiced");

/** Clears the stamp of hours that a document released. */
export const unstampReleased: Hook<"invoice.hours_released"> = ({ entry_ids }) => stamp(entry_ids, CLEAR, "uninvoiced");

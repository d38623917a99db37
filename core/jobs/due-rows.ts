import { createHash } from "node:crypto";

/** A table, and SQL of when its row `r` of organisation `o` is due. */
export type DueRow = readonly [table: string, condition: string];

/** Which organisations have due rows: a function of PostgreSQL, created after the steps of the schema, that returns their ids. */
export interface DueRows {
  /** Contains a digest of the text: a new version creates a new function, and an older node keeps its own. */
  readonly name: string;
  readonly rows: readonly DueRow[];
  readonly sql: string;
}

/** SQL: the latest date that it is anywhere now. Whatever is due by an organisation's own date is due by this one. */
export const LATEST_TODAY = "((now() at time zone 'UTC')::date + 1)";

const LETTERS = /^[a-z_]+$/;

/**
 * Declares which rows make work for a clock. An organisation is looked up for each, so a condition needs an index that begins with the
 * organisation; it may choose too many organisations, never too few.
 * @throws TypeError without a row, or for a table that is not a plain name
 */
export function dueRows(...rows: readonly DueRow[]): DueRows {
  const [first] = rows;
  if (!first || !rows.every(([table]) => LETTERS.test(table))) throw new TypeError("due rows need tables by their names");
  const exists = rows.map(
    ([table, condition]) => `exists (select from public.${table} r where r.organisation_id = o.id and (${condition}))`,
  );
  // `is true` keeps PostgreSQL from joining: it would read all rows of a table, where this reads one entry of an index for each organisation.
  const text = `() returns setof uuid language sql stable security definer set search_path = public, pg_temp as $due$
    select o.id from public.organisations o where o.status = 'active' and (${exists.join(" or ")}) is true $due$`;
  const name = `${first[0]}_due_${createHash("sha1").update(text).digest("hex").slice(0, 8)}`;
  return { name, rows, sql: `create function jobs.${name}${text}` };
}

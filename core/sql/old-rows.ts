import { createHash } from "node:crypto";
import { type Statement, statement } from "./statement.ts";

/**
 * For the transaction of a batch: PostgreSQL then follows an index in the order of the age and stops after a batch. Its generic plan expects
 * few old rows, and would read and sort all of them for each batch.
 */
export const BY_INDEX = statement("select set_config('enable_sort', 'off', true)");

/** Most rows that one statement removes: it holds their locks for a moment, and its transaction writes a few megabytes of WAL. */
export const MOST_AT_ONCE = 5_000;

/** Which rows of one table are old, and how long they are kept. */
export interface OldRowsDeclaration {
  /** Its name; with its schema outside `public`. */
  table: string;
  /** SQL of the instant of a row `r` from which its time counts. Rows are removed in its order, by an index of a large table. */
  age: string;
  /** Interval that a row is kept, in SQL; with `days` the least that an operator can choose. */
  kept: string;
  /** The setting of this installation, in days. */
  days?: () => number | undefined;
  /** Further SQL condition on a row `r`. */
  also?: string;
  /** For an `age` that is an ordered id: its type and lowest value, and SQL of the id of an instant. */
  by?: { type: string; lowest: string; of(instant: string): string };
}

/** Rows that jobs remove by batches once they are old. `core/clearing/clear.ts` does it. */
export interface OldRows {
  readonly table: string;
  readonly days: () => number;
  /** Removes a batch: its parameters are the organisation, the days and the age from which it goes on; without organisation the last two. */
  readonly batch: Statement;
}

/** Rows of all organisations: a function of PostgreSQL removes them, which is created after the steps of the schema. */
export interface OldRowsEverywhere extends OldRows {
  /** Contains a digest of the text: a new version creates a new function, and an older node keeps its own. */
  readonly name: string;
  readonly clearingSql: string;
}

const NAME = /^[a-z_]+(\.[a-z_]+)?$/;
const INSTANT = { type: "timestamptz", lowest: "-infinity", of: (instant: string) => instant };

/**
 * SQL that removes the oldest rows, at most one batch, and skips rows that someone else has locked. It goes on after the rows of the batch
 * before, so that it does not pass their dead entries in the index again. It returns how many rows it found, and the age of the last.
 */
function batchOf(
  { table, age, kept, also, by = INSTANT }: OldRowsDeclaration,
  organisation: string,
  days: string,
  after: string,
): string {
  if (!NAME.test(table)) throw new TypeError("old rows need a table by its name");
  const until = `(statement_timestamp() - greatest(interval '${kept}', make_interval(days => ${days})))`;
  return `with old as materialized (
      select r.ctid as place, ${age} as age from ${table} r
       where ${organisation}${age} < ${by.of(until)} and ${age} >= coalesce(${after}::${by.type}, '${by.lowest}')${also ? ` and (${also})` : ""}
       order by ${age} limit ${MOST_AT_ONCE} for update of r skip locked),
    gone as (delete from ${table} t where t.ctid = any(array(select o.place from old o)))
    select count(*)::int as found, (array_agg(o.age order by o.age desc))[1]::text as last from old o`;
}

/** Declares rows of the running organisation that are removed once they are old. @throws TypeError for a table that is not a plain name */
export const oldRows = (declared: OldRowsDeclaration): OldRows => ({
  table: declared.table,
  days: () => declared.days?.() ?? 0,
  batch: statement(batchOf(declared, "r.organisation_id = $1 and ", "$2::int", "$3")),
});

/**
 * Declares rows of all organisations that are removed once they are old, in a `*.due.ts` file. Only the owner of the tables sees them, so
 * a function does it, which keeps rows for the declared time whatever its caller asks for.
 * @param of `organisation` for rows that the application may not delete: the function then takes those of the one that it is given
 * @throws TypeError for a table that is not a plain name
 */
export function oldRowsEverywhere(declared: OldRowsDeclaration, of: "everyone" | "organisation" = "everyone"): OldRowsEverywhere {
  const isOne = of === "organisation";
  const body = batchOf(declared, isOne ? "r.organisation_id = organisation and " : "", "days", "after");
  const text = `(${isOne ? "organisation uuid, " : ""}days int, after text, out found int, out last text) language sql
    security definer set search_path = public, pg_temp set enable_sort = off as $old$ ${body} $old$`;
  const name = `${declared.table.replace(".", "_")}_old_${createHash("sha1").update(text).digest("hex").slice(0, 8)}`;
  return {
    table: declared.table,
    days: () => declared.days?.() ?? 0,
    batch: statement(`select found, last from jobs.${name}(${isOne ? "$1, $2, $3" : "$1, $2"})`),
    name,
    clearingSql: `create function jobs.${name}${text}`,
  };
}

import { request } from "../request/context.ts";
import { enqueue } from "./query.ts";
import { statement } from "./statement.ts";

/** Rows to be written, by table. */
export type RowsByTable<Table extends string> = { [T in Table]: Record<string, unknown>[] };

const NAME = /^[a-z][a-z0-9_]*$/;

/** An empty list for each table; they are written in this order, so what others refer to comes first. */
export const noRows = <Table extends string>(tables: readonly Table[]): RowsByTable<Table> =>
  Object.fromEntries(tables.map((table) => [table, []])) as unknown as RowsByTable<Table>;

/** The columns that rows of a table name. @throws TypeError unless all of them name the same, by plain names */
function columnsOf(table: string, rows: readonly Record<string, unknown>[]): string[] {
  const names = Object.keys(rows[0] ?? {});
  for (const name of [table, ...names]) if (!NAME.test(name)) throw new TypeError(`${name} is no name of a column or table`);
  if (rows.some((row) => Object.keys(row).join() !== names.join()))
    throw new TypeError(`rows of ${table} differ in their columns`);
  return names;
}

/**
 * Leaves many rows of the running organisation to its transaction, those of each table in one statement, without trail or events: for what an
 * organisation is given at once, as the demo is. Tables and columns are those of the caller's code, never a caller's words.
 * @throws TypeError where rows of one table differ in their columns
 */
export function writeRows(rows: RowsByTable<string>): void {
  for (const [table, some] of Object.entries(rows)) {
    if (some.length === 0) continue;
    const names = columnsOf(table, some);
    const text = `insert into ${table} (organisation_id, ${names.join(", ")})
      select $1, ${names.map((name) => `r.${name}`).join(", ")} from jsonb_populate_recordset(null::${table}, $2::jsonb) r`;
    enqueue(statement(text), [request().organisation.id, JSON.stringify(some)]);
  }
}

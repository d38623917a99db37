import { request } from "../request/context.ts";
import { statement } from "../sql/statement.ts";
import { enqueue } from "./query.ts";

/** Rows to write, by table. */
export type RowsByTable<Table extends string> = { [T in Table]: Record<string, unknown>[] };

const NAME = /^[a-z][a-z0-9_]*$/;

/** An empty list for each table. Rows are written in this order, so list referenced tables first. */
export const noRows = <Table extends string>(tables: readonly Table[]): RowsByTable<Table> =>
  Object.fromEntries(tables.map((table) => [table, []])) as unknown as RowsByTable<Table>;

/** The columns of the rows of a table. @throws TypeError unless all rows have the same columns, with plain names */
function columnsOf(table: string, rows: readonly Record<string, unknown>[]): string[] {
  const names = Object.keys(rows[0] ?? {});
  for (const name of [table, ...names]) if (!NAME.test(name)) throw new TypeError(`${name} is not a name of a column or table`);
  if (rows.some((row) => Object.keys(row).join() !== names.join()))
    throw new TypeError(`rows of ${table} differ in their columns`);
  return names;
}

/**
 * Queues many rows of the current organisation in its transaction, one statement per table, without trail or events: for bulk data such as
 * the demo's. Table and column names come from code, never from a caller.
 * @throws TypeError when rows of one table differ in their columns
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

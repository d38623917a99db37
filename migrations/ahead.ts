import type pg from "pg";
import { statementsOf } from "./statements.ts";
import type { Step } from "./step.ts";

/** Bytes from which on the indexes of a table are built ahead: below, a transaction builds one in some milliseconds. */
const LARGE = 1024 * 1024;
const SUFFIX = "__ahead";
const INDEX = /^create (unique )?index (\w+) on (\w+)\b/i;
const LARGE_ONES = `select c.relname::text as name from unnest($1::text[]) t join pg_class c on c.oid = to_regclass(t)
  where c.relkind = 'r' and pg_table_size(c.oid) >= $2`;
const IS_VALID = "select indisvalid from pg_index where indexrelid = to_regclass($1)";

/** A statement without its comments and line breaks. */
export const plain = (statement: string): string => statement.replace(/--.*$/gm, "").replace(/\s+/g, " ").trim();

/** The name that an index has until its step runs; PostgreSQL takes 63 characters. */
const nameAhead = (index: string): string => `${index.slice(0, 63 - SUFFIX.length)}${SUFFIX}`;

/** An index that a step creates, and its statement on one line. */
export interface NamedIndex {
  index: string;
  table: string;
  sql: string;
}

/** The named indexes that a step creates, from a run of the step that sends nothing and finds no rows. A step's statements that depend on rows create none. */
export async function indexesOf(step: Step): Promise<NamedIndex[]> {
  const sent: string[] = [];
  const sql = async (text: string) => {
    sent.push(text);
    return { rows: [] };
  };
  await step.up({ sql, application: '"application"' });
  return sent
    .flatMap(statementsOf)
    .map(plain)
    .flatMap((statement) => {
      const [, , index, table] = INDEX.exec(statement) ?? [];
      return index && table && index.toLowerCase() !== "on" ? [{ index, table, sql: statement }] : [];
    });
}

/**
 * Builds the indexes of a step on large tables before its transaction, concurrently and under other names, so that nodes write meanwhile.
 * An index that needs what the step itself brings (a column, rows without duplicates) is left to the transaction.
 * @param indexes the indexes of the step
 * @param built names of the indexes that exist already; those that are built now are added, and `withAhead` renames them
 */
export async function buildAhead(client: pg.Client, indexes: readonly NamedIndex[], built: Set<string>): Promise<void> {
  const wanted = indexes.filter(({ index }) => !built.has(index));
  if (wanted.length === 0) return;
  const { rows } = await client.query<{ name: string }>(LARGE_ONES, [[...new Set(wanted.map(({ table }) => table))], LARGE]);
  const large = new Set(rows.map(({ name }) => name));
  for (const { index, sql } of wanted.filter(({ table }) => large.has(table))) {
    const ahead = nameAhead(index);
    // An attempt that broke off may have left one, valid or not.
    await client.query(`drop index concurrently if exists ${ahead}`);
    const concurrently = sql.replace(
      INDEX,
      (_, unique = "", __, table) => `create ${unique}index concurrently ${ahead} on ${table}`,
    );
    try {
      await client.query(concurrently);
    } catch (error) {
      // Locks, cancellations and lost connections are the caller's.
      if (/^(40|55|57|08|$)/.test((error as { code?: string }).code ?? "")) throw error;
    }
    const [state] = (await client.query<{ indisvalid: boolean }>(IS_VALID, [ahead])).rows;
    if (state?.indisvalid) built.add(index);
    else if (state) await client.query(`drop index concurrently ${ahead}`);
  }
}

/** Drops what was built ahead of a step that did not run. */
export async function dropAhead(client: pg.Client, built: ReadonlySet<string>): Promise<void> {
  for (const index of built) await client.query(`drop index concurrently if exists ${nameAhead(index)}`);
}

/**
 * A text of a step without the statements that have nothing left to do, and in which each index that was built ahead gets its name where the
 * step would create it.
 */
export function withAhead(text: string, built: ReadonlySet<string>, done: ReadonlySet<string>): string {
  if (built.size + done.size === 0) return text;
  return statementsOf(text)
    .filter((statement) => !done.has(plain(statement)))
    .map((statement) => {
      const index = INDEX.exec(plain(statement))?.[2];
      return index !== undefined && built.has(index) ? `alter index ${nameAhead(index)} rename to ${index}` : statement;
    })
    .join(";\n");
}

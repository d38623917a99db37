import { CsvError, parse } from "csv-parse/sync";
import { balancesOf } from "./balances.ts";
import { MOST_ENTRIES, type ReadEntry, type ReadStatement, type StatementFormat } from "./read-statement.ts";
import { StatementUnreadable } from "./unreadable.ts";

/** A row of a CSV with its line. */
export interface CsvRow {
  cells: string[];
  line: number;
}

const MOST_IN_ROW = 100_000;

/**
 * The rows of a CSV, blank ones left out.
 * @param skipped lines before the first row
 * @throws StatementUnreadable for a quote that is not closed, and for a row with fewer or more cells than the first
 */
export function rowsOf(text: string, delimiter: string, quote: string | false, skipped = 0): CsvRow[] {
  try {
    const found = parse(text, {
      delimiter,
      quote,
      skip_empty_lines: true,
      info: true,
      max_record_size: MOST_IN_ROW,
      to: MOST_ENTRIES + 2,
    }) as unknown as { record: string[]; info: { lines: number } }[];
    return found.map(({ record, info }) => ({ cells: record, line: info.lines + skipped }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = (error as unknown as { lines?: number }).lines;
    const isShort = error.code === "CSV_RECORD_INCONSISTENT_FIELDS_LENGTH";
    throw new StatementUnreadable(
      isShort ? "unreadable_entry" : "broken_file",
      isShort ? "The row has fewer or more columns than the first." : "The file is not well-formed CSV: is a quote not closed?",
      line === undefined ? {} : { line: line + skipped },
    );
  }
}

/** A row as an entry, with its account, and its balances if the file has them. */
export interface RowEntry {
  account: string;
  entry: ReadEntry;
  after: string | null;
}

/**
 * The statements of a CSV: one for each account and currency in it. Balances that do not follow from each other leave opening and closing
 * balance empty and are reported.
 */
export function statementsOfRows(format: StatementFormat, rows: readonly RowEntry[]): ReadStatement[] {
  if (rows.length > MOST_ENTRIES)
    throw new StatementUnreadable("too_many_entries", `The file has more than ${MOST_ENTRIES} entries.`);
  const groups = Map.groupBy(rows, ({ account, entry }) => `${account} ${entry.currency}`);
  return [...groups.values()].map((group): ReadStatement => {
    const [{ account, entry }] = group as [RowEntry];
    const entries = group.map((row) => row.entry);
    const days = entries.map(({ booked_on }) => booked_on).toSorted();
    const hasBalances = group.every(({ after }) => after !== null);
    const found = hasBalances ? balancesOf(group.map((row) => ({ entry: row.entry, after: row.after as string }))) : null;
    return {
      format,
      account,
      currency: entry.currency,
      number: null,
      from: days[0] as string,
      to: days.at(-1) as string,
      opening: found?.opening ?? null,
      closing: found?.closing ?? null,
      entries,
      pending: 0,
      balances: !hasBalances || found !== null,
    };
  });
}

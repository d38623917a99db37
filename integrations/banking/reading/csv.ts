import { delimiterOf } from "../../../core/impex/files/csv.ts";
import { type Cell, NAMED_CSV, type NamedCsv } from "./csv-banks.ts";
import { rowsOf, statementsOfRows } from "./csv-rows.ts";
import type { ReadStatement } from "./read-statement.ts";
import { StatementUnreadable } from "./unreadable.ts";

/** The first line of Knab, above the headers. */
const KNAB_TITLE = /^"?KNAB EXPORT[^\r\n]*(\r\n|\n|\r)/i;

const bankOf = (headers: ReadonlySet<string>): NamedCsv | undefined =>
  NAMED_CSV.find((bank) => bank.headers.every((group) => group.some((header) => headers.has(header))));

/**
 * The statements of a bank's CSV whose first row names its columns.
 * @throws StatementUnreadable for a bank that is not known, a row that cannot be read, and a file without rows
 */
export function readNamedCsv(text: string): ReadStatement[] {
  const title = KNAB_TITLE.exec(text)?.[0] ?? "";
  const body = text.slice(title.length);
  const firstLine = body.slice(0, body.search(/[\r\n]|$/));
  const known = bankOf(new Set(firstLine.split(delimiterOf(firstLine)).map((name) => headerOf(name))));
  if (!known)
    throw new StatementUnreadable(
      "unknown_format",
      "The file is neither CAMT.053 nor MT940, nor a CSV of ING, Rabobank, ABN AMRO, SNS, ASN, bunq or Knab.",
    );
  const [header, ...rows] = rowsOf(body, delimiterOf(firstLine), '"', title === "" ? 0 : 1);
  const columns = new Map((header?.cells ?? []).map((name, index) => [headerOf(name), index]));
  if (rows.length === 0) throw new StatementUnreadable("no_statement", "The file has no entries.");
  return statementsOfRows(
    known.format,
    rows.map(({ cells, line }) => {
      const cell: Cell = (...names) => {
        const column = names.map((name) => columns.get(name)).find((index) => index !== undefined);
        return column === undefined ? "" : (cells[column] ?? "");
      };
      return known.read(cell, { line });
    }),
  );
}

const headerOf = (name: string): string =>
  name
    .replace(/^["']|["']$/g, "")
    .trim()
    .toLowerCase();

import { CsvError, parse } from "csv-parse/sync";
import { ImportRefused } from "./refused.ts";

/** A sheet as read: headers, and rows of text with the number a spreadsheet shows for them (the header row is 1). */
export interface Sheet {
  headers: string[];
  rows: { row: number; cells: string[] }[];
}

const DELIMITERS = [",", ";", "\t"];

/** The delimiter the header line uses most, outside of quotes; a comma when it has none. */
export function delimiterOf(text: string): string {
  const [header = ""] = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text) ?? [];
  const bare = header.replace(/"(?:[^"]|"")*"/g, "");
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] as string;
}

/**
 * Reads CSV: UTF-8 with or without byte order mark, `,` `;` or tab between the cells. Rows without any text are left out.
 * @throws ImportRefused for bytes that are not UTF-8, a file without rows of cells, quotes that do not match, and a row with more
 * cells than the header
 */
export function readCsv(bytes: Uint8Array): Sheet {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ImportRefused("The file is not UTF-8: save it as 'CSV UTF-8'.");
  }
  const [headers, ...rest] = records(text);
  if (!headers?.some((header) => header.trim() !== ""))
    throw new ImportRefused("The file is empty: its first row names the columns.");
  const rows = rest
    .map((cells, index) => ({ row: index + 2, cells }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  const long = rows.find(({ cells }) => cells.slice(headers.length).some((cell) => cell.trim() !== ""));
  if (long)
    throw new ImportRefused(`Row ${long.row} has more cells than the first row: is a cell with the delimiter not quoted?`);
  return { headers: headers.map((header) => header.trim()), rows };
}

function records(text: string): string[][] {
  try {
    return parse(text, { delimiter: delimiterOf(text), relax_column_count: true, record_delimiter: ["\r\n", "\n", "\r"] });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ImportRefused(`The file is not well-formed CSV: ${error.message}.`);
  }
}

import { CsvError, parse } from "csv-parse/sync";
import { ImportRefused } from "../refused.ts";
import { type FileLimits, OPERATOR_LIMITS, type Sheet, SheetBuilder, tooManyRows } from "./sheet.ts";

const DELIMITERS = [",", ";", "\t"];

/** The delimiter the header line uses most, outside of quotes; a comma when it has none. */
export function delimiterOf(text: string): string {
  const counts = DELIMITERS.map(() => 0);
  let isQuoted = false;
  // Sign by sign: a pattern runs out of stack in a header of megabytes.
  for (const sign of text) {
    if (sign === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (sign === "\r" || sign === "\n") break;
    const delimiter = DELIMITERS.indexOf(sign);
    if (delimiter >= 0) counts[delimiter] = (counts[delimiter] as number) + 1;
  }
  return DELIMITERS[counts.indexOf(Math.max(...counts))] as string;
}

/** Bytes Windows-1252 gives no character, and NUL, which no text in it holds. */
const NOT_WINDOWS_1252 = new Set([0x00, 0x81, 0x8d, 0x8f, 0x90, 0x9d]);

/**
 * The text of a file in UTF-8 with or without byte order mark, or else in Windows-1252, as spreadsheets save it.
 * @throws ImportRefused for bytes that are neither
 */
export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    if (!bytes.some((byte) => NOT_WINDOWS_1252.has(byte))) return new TextDecoder("windows-1252").decode(bytes);
    throw new ImportRefused("The file is neither UTF-8 nor Windows-1252: save it as 'CSV UTF-8'.");
  }
}

/**
 * Reads CSV: `,` `;` or tab between the cells, any line ending.
 * @throws ImportRefused for an unknown encoding, a file without rows of cells, quotes that do not match, and what breaks a limit
 */
export function readCsv(bytes: Uint8Array, limits: FileLimits = OPERATOR_LIMITS): Sheet {
  const text = decode(bytes);
  const sheet = new SheetBuilder(limits);
  const most = BLANK_ROWS_TOO * limits.rows;
  const records = parsed(text, most);
  if (!records[0]?.some((header) => header.trim() !== ""))
    throw new ImportRefused("The file is empty: its first row names the columns.", "empty_file");
  for (const [index, cells] of records.entries()) sheet.add(index + 1, cells);
  if (records.length >= most) throw tooManyRows(limits);
  return sheet.finish();
}

/** Blank rows do not count, but a file of ten blank ones for each that may be there is not read to its end. */
const BLANK_ROWS_TOO = 10;

function parsed(text: string, most: number): string[][] {
  try {
    return parse(text, {
      delimiter: delimiterOf(text),
      relax_column_count: true,
      record_delimiter: ["\r\n", "\n", "\r"],
      ...(Number.isFinite(most) && { to: most }),
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ImportRefused(`The file is not well-formed CSV: ${error.message}.`);
  }
}

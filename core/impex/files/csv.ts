import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CsvError, type Options, parse as parser } from "csv-parse";
import { parse } from "csv-parse/sync";
import { ImportRefused } from "../refused.ts";
import { csvCell, MOST_CHARACTERS } from "./cell.ts";
import { decode, decoded, encodingOf, piecesOf, type Source } from "./encoding.ts";
import { FIRST_ROW, findHeader, type HeaderChoice, MOST_BEFORE, type SheetRow } from "./header.ts";
import { emptyFile, type FileLimits, MOST_COLUMNS, OPERATOR_LIMITS, type Sheet, SheetBuilder, tooManyRows } from "./sheet.ts";

const DELIMITERS = [",", ";", "\t"];

/** The most frequent delimiter of the header line, outside quotes; a comma if there is none. */
export function delimiterOf(text: string): string {
  const counts = DELIMITERS.map(() => 0);
  let isQuoted = false;
  // Character by character: a pattern would overflow the stack on a header of megabytes.
  for (const sign of text) {
    if (sign === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (sign === "\r" || sign === "\n") break;
    const delimiter = DELIMITERS.indexOf(sign);
    if (delimiter >= 0) counts[delimiter] = (counts[delimiter] as number) + 1;
  }
  return DELIMITERS[counts.indexOf(Math.max(...counts))] as string;
}

/** The line with which Excel chooses the delimiter, and which it does not display: `sep=;`. */
const CHOSEN = /^"?sep=(.)"?(\r\n|\n|\r|$)/i;
/** Characters searched for the headers, to find their delimiter. */
const HEAD = 256 * 1024;

/** The delimiter of a file, and the characters before its first record. */
interface Dialect {
  delimiter: string;
  skip: number;
}

/** The dialect of a file: by its `sep=` line, otherwise the delimiter with the most known columns, otherwise the first line's. */
function dialectOf(head: string, choice: HeaderChoice): Dialect {
  const [line, chosen] = CHOSEN.exec(head) ?? [];
  if (line !== undefined && chosen !== undefined) return { delimiter: chosen, skip: line.length };
  const usual = delimiterOf(head);
  const knownUnder = (delimiter: string) => findHeader(firstRows(head, delimiter), choice)?.known ?? 0;
  const best = DELIMITERS.map((delimiter) => ({ delimiter, known: knownUnder(delimiter) })).reduce(
    (most, one) => (one.known > most.known ? one : most),
    { delimiter: usual, known: knownUnder(usual) },
  );
  return { delimiter: best.delimiter, skip: 0 };
}

/** The rows within the head of a file. */
function firstRows(head: string, delimiter: string): SheetRow[] {
  const rows: SheetRow[] = [];
  try {
    parse(
      head,
      optionsOf(delimiter, (cells, row) => rows.push({ row, cells: cells.map(csvCell) }), { to: MOST_BEFORE }),
    );
  } catch (error) {
    // The head may end inside a quoted cell, and a wrong delimiter misreads quotes.
    if (!(error instanceof CsvError)) throw error;
  }
  return rows;
}

/** Maximum characters of one record: the maximum number of cells of maximum length. */
const MOST_IN_RECORD = MOST_COLUMNS * MOST_CHARACTERS;

interface ReadingLimits {
  /** Characters of one record. */
  record?: number | undefined;
  /** The last record to read. */
  to?: number;
}

function optionsOf(
  delimiter: string,
  add: (cells: string[], row: number) => void,
  { record = MOST_IN_RECORD, to }: ReadingLimits,
): Options {
  let row = 0;
  return {
    delimiter,
    relax_column_count: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    max_record_size: record,
    ...(to !== undefined && { to }),
    on_record: (cells: string[]) => {
      add(cells, (row += 1));
      return null;
    },
  };
}

/** Blank rows do not count as rows, but reading stops at this multiple of the row limit. */
const BLANK_ROWS_TOO = 10;

/** Collects records into a sheet. */
class CsvReader {
  readonly #sheet: SheetBuilder;
  readonly #limits: FileLimits;
  #isFirstBlank = false;
  #isKnown: boolean;

  constructor(limits: FileLimits, choice: HeaderChoice, isKnown: boolean) {
    this.#sheet = new SheetBuilder(limits, choice);
    this.#limits = limits;
    this.#isKnown = isKnown || choice.row !== undefined;
  }

  readonly add = (cells: string[], row: number): void => {
    if (row > BLANK_ROWS_TOO * this.#limits.rows) throw tooManyRows(this.#limits);
    if (row === 1) this.#isFirstBlank = !cells.some((cell) => cell.trim() !== "");
    // A blank line in place of the headers, and no known column below it.
    if (this.#isFirstBlank && !this.#isKnown) throw emptyFile();
    this.#sheet.add(row, cells.map(csvCell));
  };

  finish = (): Sheet => this.#sheet.finish();
}

/** Converts a failure of the parser. @throws the error itself, or ImportRefused */
function refuse(error: unknown, { record = MOST_IN_RECORD }: FileLimits): never {
  if (!(error instanceof CsvError)) throw error;
  if (error.code === "CSV_MAX_RECORD_SIZE")
    throw new ImportRefused(`The file has a row of more than ${record} characters: is a quote not closed?`, "file_too_large");
  throw new ImportRefused(`The file is not well-formed CSV: ${error.message}.`);
}

/** The reader and dialect for a file with this head. */
function begun(head: string, limits: FileLimits, choice: HeaderChoice): { reader: CsvReader; dialect: Dialect } {
  const dialect = dialectOf(head.slice(0, HEAD), choice);
  const known = findHeader(firstRows(head.slice(dialect.skip, dialect.skip + HEAD), dialect.delimiter), choice)?.known ?? 0;
  return { reader: new CsvReader(limits, choice, known > 0), dialect };
}

/**
 * Reads CSV: cells separated by `,` `;` or tab, or by the delimiter of a `sep=` line; any line ending; UTF-8, UTF-16 or Windows-1252.
 * @throws ImportRefused for an unknown encoding, a file without rows, unbalanced quotes, and exceeded limits
 */
export function readCsv(bytes: Uint8Array, limits: FileLimits = OPERATOR_LIMITS, choice: HeaderChoice = FIRST_ROW): Sheet {
  const text = decode(bytes);
  const { reader, dialect } = begun(text, limits, choice);
  try {
    parse(text.slice(dialect.skip), optionsOf(dialect.delimiter, reader.add, limits));
  } catch (error) {
    refuse(error, limits);
  }
  return reader.finish();
}

/** Reads CSV from a source in pieces, without holding all of it. */
export async function readCsvFrom(source: Source, limits: FileLimits, choice: HeaderChoice): Promise<Sheet> {
  const pieces = decoded(source, await encodingOf(source));
  let head = "";
  while (head.length < HEAD) {
    const { value, done } = await pieces.next();
    if (done) break;
    head += value;
  }
  const { reader, dialect } = begun(head, limits, choice);
  async function* rest() {
    yield* piecesOf(head.slice(dialect.skip));
    yield* pieces;
  }
  const records = parser(optionsOf(dialect.delimiter, reader.add, limits));
  records.resume();
  await pipeline(Readable.from(rest()), records).catch((error: unknown) => refuse(error, limits));
  return reader.finish();
}

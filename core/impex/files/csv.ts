import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CsvError, type Options, parse as parser } from "csv-parse";
import { parse } from "csv-parse/sync";
import { ImportRefused } from "../refused.ts";
import { csvCell, MOST_CHARACTERS } from "./cell.ts";
import { decode, decoded, encodingOf, type Source } from "./encoding.ts";
import { FIRST_ROW, findHeader, type HeaderChoice, MOST_BEFORE, type SheetRow } from "./header.ts";
import { emptyFile, type FileLimits, MOST_COLUMNS, OPERATOR_LIMITS, type Sheet, SheetBuilder, tooManyRows } from "./sheet.ts";

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

/** The line Excel takes for the choice of the delimiter and does not show: `sep=;`. */
const CHOSEN = /^"?sep=(.)"?(\r\n|\n|\r|$)/i;
/** Characters among which the headers are looked for, so that their delimiter can be found. */
const HEAD = 256 * 1024;

/** How the records of a file are told apart, and the characters before the first of them. */
interface Dialect {
  delimiter: string;
  skip: number;
}

/** The dialect of a file: as its `sep=` line says, else the delimiter under which most columns are known, else what the first line uses. */
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

/** The first rows of a file as far as its head shows them. */
function firstRows(head: string, delimiter: string): SheetRow[] {
  const rows: SheetRow[] = [];
  try {
    parse(
      head,
      optionsOf(delimiter, (cells, row) => rows.push({ row, cells: cells.map(csvCell) }), MOST_BEFORE),
    );
  } catch (error) {
    // The head may end inside of a quoted cell, and the wrong delimiter makes nonsense of quotes.
    if (!(error instanceof CsvError)) throw error;
  }
  return rows;
}

/** Characters of one record: as many cells as there may be, each as long as it may be. */
const MOST_IN_RECORD = MOST_COLUMNS * MOST_CHARACTERS;

function optionsOf(delimiter: string, add: (cells: string[], row: number) => void, to?: number): Options {
  let row = 0;
  return {
    delimiter,
    relax_column_count: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    max_record_size: MOST_IN_RECORD,
    ...(to !== undefined && { to }),
    on_record: (cells: string[]) => {
      add(cells, (row += 1));
      return null;
    },
  };
}

/** Blank rows do not count, but a file of ten blank ones for each that may be there is not read to its end. */
const BLANK_ROWS_TOO = 10;

/** Takes records and makes the sheet of them. */
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
    // A blank line where headers are expected, and no known column below it.
    if (this.#isFirstBlank && !this.#isKnown) throw emptyFile();
    this.#sheet.add(row, cells.map(csvCell));
  };

  finish = (): Sheet => this.#sheet.finish();
}

/** What a failure of the parser means. @throws it, or ImportRefused */
function refuse(error: unknown): never {
  if (!(error instanceof CsvError)) throw error;
  if (error.code === "CSV_MAX_RECORD_SIZE")
    throw new ImportRefused(
      `The file has a row of more than ${MOST_IN_RECORD} characters: is a quote not closed?`,
      "file_too_large",
    );
  throw new ImportRefused(`The file is not well-formed CSV: ${error.message}.`);
}

/** The reader of a file that begins like this, and how its records are told apart. */
function begun(head: string, limits: FileLimits, choice: HeaderChoice): { reader: CsvReader; dialect: Dialect } {
  const dialect = dialectOf(head.slice(0, HEAD), choice);
  const known = findHeader(firstRows(head.slice(dialect.skip, dialect.skip + HEAD), dialect.delimiter), choice)?.known ?? 0;
  return { reader: new CsvReader(limits, choice, known > 0), dialect };
}

/**
 * Reads CSV: `,` `;` or tab between the cells, or what a line `sep=` names; any line ending; UTF-8, UTF-16 or Windows-1252.
 * @throws ImportRefused for an unknown encoding, a file without rows of cells, quotes that do not match, and what breaks a limit
 */
export function readCsv(bytes: Uint8Array, limits: FileLimits = OPERATOR_LIMITS, choice: HeaderChoice = FIRST_ROW): Sheet {
  const text = decode(bytes);
  const { reader, dialect } = begun(text, limits, choice);
  try {
    parse(text.slice(dialect.skip), optionsOf(dialect.delimiter, reader.add));
  } catch (error) {
    refuse(error);
  }
  return reader.finish();
}

/** The same from a source of which only a piece is held at once. */
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
    yield head.slice(dialect.skip);
    yield* pieces;
  }
  const records = parser(optionsOf(dialect.delimiter, reader.add));
  records.resume();
  await pipeline(Readable.from(rest()), records).catch(refuse);
  return reader.finish();
}

import { ImportRefused } from "../refused.ts";
import { type Cell, isFault, isFilled } from "./cell.ts";
import { FIRST_ROW, findHeader, type Header, type HeaderChoice, MOST_BEFORE, type SheetRow } from "./header.ts";
import { PackedList } from "./packed.ts";

/** A parsed sheet: headers, and the non-blank rows below them. */
export interface Sheet {
  headers: string[];
  /** The number of the header row. */
  headerRow: number;
  rows: PackedList<SheetRow>;
  /** The sheet of the workbook, and its other visible sheets. */
  name?: string;
  ignoredSheets?: string[];
}

/** Limits of a file; a larger one is rejected, never cut. */
export interface FileLimits {
  /** Rows below the headers. */
  rows: number;
  /** Unpacked bytes of a workbook, and bytes of the rows of any file. */
  unpacked: number;
  /** Characters of one record of a CSV file; without it, what a row of the longest cells has. */
  record?: number;
}

/** Limits of a file imported through the API, and the maximum rows imported within the call (conventions §22). */
export const CALL_LIMITS: FileLimits = { rows: 50_000, unpacked: 64 * 1024 * 1024 };
export const ROWS_AT_ONCE = 2000;
/** The command line has no row limit; the unpacked size of a workbook stays limited. */
export const OPERATOR_LIMITS: FileLimits = { rows: Number.POSITIVE_INFINITY, unpacked: 2 * 1024 * 1024 * 1024 };
/** More columns than any list of records has. */
export const MOST_COLUMNS = 500;

export const tooManyRows = ({ rows }: FileLimits): ImportRefused =>
  new ImportRefused(`The file has more than ${rows} rows.`, "too_many_rows", { limit: rows });
export const tooManyColumns = (): ImportRefused =>
  new ImportRefused(`The file has more than ${MOST_COLUMNS} columns.`, "too_many_columns", { limit: MOST_COLUMNS });
export const tooLarge = ({ unpacked }: FileLimits): ImportRefused =>
  new ImportRefused(`The file unpacks to more than ${Math.round(unpacked / 2 ** 20)} MiB.`, "file_too_large");
const noHeaders = (row: number): ImportRefused =>
  new ImportRefused(`Row ${row} has no headers: it is blank, or the file ends before it.`, { header_row: "errors.validation" });
export const emptyFile = (): ImportRefused =>
  new ImportRefused("The file is empty: its first row names the columns.", "empty_file");

/**
 * Builds a sheet row by row, within its limits.
 * @throws ImportRefused for too many rows, columns or bytes, and for a row with more cells than headers
 */
export class SheetBuilder {
  readonly #limits: FileLimits;
  readonly #choice: HeaderChoice;
  readonly #rows = new PackedList<SheetRow>();
  /** The first rows, until the headers are found. */
  #first: SheetRow[] = [];
  #header: Header | undefined;

  constructor(limits: FileLimits, choice: HeaderChoice = FIRST_ROW) {
    this.#limits = limits;
    this.#choice = choice;
  }

  /** Whether the header row is found. */
  get hasHeader(): boolean {
    return this.#header !== undefined;
  }

  add(row: number, cells: Cell[]): void {
    if (!cells.some(isFilled)) return;
    if (this.#header) {
      this.#addRow({ row, cells }, this.#header);
      return;
    }
    this.#first.push({ row, cells });
    const { row: wanted } = this.#choice;
    if (wanted === undefined ? this.#first.length >= MOST_BEFORE : row >= wanted) this.#findHeader();
    if (wanted !== undefined && row >= wanted && !this.#header) throw noHeaders(wanted);
    // For a chosen row further down, only the row right above it is needed.
    else if (wanted !== undefined) this.#first = this.#first.slice(-1);
  }

  #findHeader(): void {
    const first = this.#first;
    const header = findHeader(first, this.#choice);
    if (!header) return;
    if (header.headers.length > MOST_COLUMNS) throw tooManyColumns();
    if (first[header.rows - 1]?.cells.some((cell) => isFault(cell) && cell.isTooLong))
      throw new ImportRefused("The name of a column has more than 100,000 characters.", "file_too_large");
    this.#header = header;
    this.#first = [];
    for (const row of first.slice(header.rows)) this.#addRow(row, header);
  }

  #addRow({ row, cells }: SheetRow, { headers }: Header): void {
    if (cells.slice(headers.length).some(isFilled))
      throw new ImportRefused(
        `Row ${row} has more cells than the row of headers: is a cell with the delimiter not quoted?`,
        "invalid_file",
        { row },
      );
    if (this.#rows.length === this.#limits.rows) throw tooManyRows(this.#limits);
    this.#rows.add({ row, cells: cells.slice(0, headers.length) });
    if (this.#rows.bytes > this.#limits.unpacked) throw tooLarge(this.#limits);
  }

  /** Number of known columns so far, to choose between sheets. */
  get known(): number {
    return (this.#header ?? findHeader(this.#first, this.#choice))?.known ?? 0;
  }

  /** @throws ImportRefused if there was no header row */
  finish(): Sheet {
    if (!this.#header) this.#findHeader();
    const { row } = this.#choice;
    if (!this.#header && row !== undefined) throw noHeaders(row);
    if (!this.#header) throw emptyFile();
    return { headers: this.#header.headers, headerRow: this.#header.row, rows: this.#rows };
  }
}

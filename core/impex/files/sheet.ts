import { ImportRefused } from "../refused.ts";
import type { Cell } from "./cell.ts";

/** A sheet as read: headers, and rows of cells with the number a spreadsheet shows for them. Rows without any content are left out. */
export interface Sheet {
  headers: string[];
  rows: { row: number; cells: Cell[] }[];
  /** Other visible sheets of the workbook, which nobody reads. */
  ignoredSheets?: string[];
}

/** What a file may be at most; more is refused, never cut off. */
export interface FileLimits {
  /** Rows below the headers. */
  rows: number;
  /** Bytes of a workbook once unpacked. */
  unpacked: number;
}

/** Limits of one call of the API (conventions §22). */
export const CALL_LIMITS: FileLimits = { rows: 2000, unpacked: 64 * 1024 * 1024 };
/** The command line has no cap on rows; a workbook may still not unpack to more than a disk image. */
export const OPERATOR_LIMITS: FileLimits = { rows: Number.POSITIVE_INFINITY, unpacked: 2 * 1024 * 1024 * 1024 };
/** Columns no list of records has. */
export const MOST_COLUMNS = 500;

export const tooManyRows = ({ rows }: FileLimits): ImportRefused =>
  new ImportRefused(`The file has more than ${rows} rows.`, "too_many_rows", { limit: rows });

/** True for a cell with something in it; a failed formula is something. */
export const isFilled = (cell: Cell | undefined): boolean => (typeof cell !== "string" ? cell !== undefined : cell.trim() !== "");

/**
 * Puts a sheet together row by row, within its limits.
 * @throws ImportRefused for too many rows or columns, and for a row with more cells than the headers
 */
export class SheetBuilder {
  readonly #limits: FileLimits;
  readonly #rows: Sheet["rows"] = [];
  #headers: string[] | null = null;

  constructor(limits: FileLimits) {
    this.#limits = limits;
  }

  add(row: number, cells: Cell[]): void {
    if (!cells.some(isFilled)) return;
    if (this.#headers === null) {
      this.#headers = this.#readHeaders(cells);
      return;
    }
    if (cells.slice(this.#headers.length).some(isFilled))
      throw new ImportRefused(
        `Row ${row} has more cells than the first row: is a cell with the delimiter not quoted?`,
        "invalid_file",
        { row },
      );
    if (this.#rows.length === this.#limits.rows) throw tooManyRows(this.#limits);
    this.#rows.push({ row, cells: cells.slice(0, this.#headers.length) });
  }

  #readHeaders(cells: readonly Cell[]): string[] {
    const headers = cells.map((cell) => String(cell ?? "").trim());
    while (headers.at(-1) === "") headers.pop();
    if (headers.length > MOST_COLUMNS)
      throw new ImportRefused(`The file has more than ${MOST_COLUMNS} columns.`, "too_many_columns", { limit: MOST_COLUMNS });
    return headers;
  }

  /** @throws ImportRefused when there was not even a row of headers */
  finish(): Sheet {
    if (this.#headers === null) throw new ImportRefused("The file is empty: its first row names the columns.", "empty_file");
    return { headers: this.#headers, rows: this.#rows };
  }
}

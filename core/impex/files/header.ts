import { type Cell, cellText, isFilled } from "./cell.ts";

/** A row of a sheet with the number a spreadsheet shows for it. */
export interface SheetRow {
  row: number;
  cells: Cell[];
}

/** How the row that names the columns is found. */
export interface HeaderChoice {
  /** The row, where the caller says which; the sheet, by name or by number from 1, likewise. */
  row?: number | undefined;
  sheet?: string | undefined;
  /** How many columns of the entity have one of these headers. */
  known(headers: readonly string[]): number;
}

/** A sheet whose first row with something in it names the columns. */
export const FIRST_ROW: HeaderChoice = { known: () => 0 };

/** Rows with something in them among which the headers are looked for: a cover, a title and an explanation are shorter. */
export const MOST_BEFORE = 50;

/** The row of headers among the first rows of a sheet. */
export interface Header {
  headers: string[];
  row: number;
  /** How many of the rows it and all before it are. */
  rows: number;
  known: number;
}

/** The texts of a row, without the blank ones at its end. */
export function headersOf(cells: readonly Cell[]): string[] {
  const headers = cells.map((cell) => cellText(cell).trim());
  while (headers.at(-1) === "") headers.pop();
  return headers;
}

/** A row with the texts of the row above where it is blank: a header that is merged over two rows stands in the upper one. */
function withTextsAbove(row: SheetRow, above: SheetRow | undefined): Cell[] {
  if (above?.row !== row.row - 1) return row.cells;
  const width = Math.max(row.cells.length, above.cells.length);
  return Array.from({ length: width }, (_, column) => {
    const own = row.cells[column];
    return isFilled(own) ? (own as Cell) : (above.cells[column] ?? "");
  });
}

/**
 * Finds the row of headers: the one in which most known columns stand, of several the first; without any the first of all.
 * @param rows the first rows of a sheet that hold anything
 */
export function findHeader(rows: readonly SheetRow[], { row: wanted, known }: HeaderChoice): Header | undefined {
  const candidates = rows.map((row, index): Header => {
    const [own, joined] = [headersOf(row.cells), headersOf(withTextsAbove(row, rows[index - 1]))];
    const [ownKnown, joinedKnown] = [known(own), known(joined)];
    const best = joinedKnown > ownKnown ? { headers: joined, known: joinedKnown } : { headers: own, known: ownKnown };
    return { ...best, row: row.row, rows: index + 1 };
  });
  if (wanted !== undefined) return candidates.find(({ row }) => row === wanted);
  return candidates.reduce<Header | undefined>((best, one) => (best && best.known >= one.known ? best : one), undefined);
}

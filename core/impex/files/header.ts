import { type Cell, cellText, isFilled } from "./cell.ts";

/** A row of a sheet, with its number in the spreadsheet. */
export interface SheetRow {
  row: number;
  cells: Cell[];
}

/** How to find the header row. */
export interface HeaderChoice {
  /** The caller's choice of row, and of sheet by name or by number from 1. */
  row?: number | undefined;
  sheet?: string | undefined;
  /** Number of the entity's columns among these headers. */
  known(headers: readonly string[]): number;
}

/** Chooses the first non-blank row as the header. */
export const FIRST_ROW: HeaderChoice = { known: () => 0 };

/** Non-blank rows searched for the headers: a cover, title or explanation is shorter. */
export const MOST_BEFORE = 50;

/** The header row among the first rows of a sheet. */
export interface Header {
  headers: string[];
  row: number;
  /** Number of rows up to and including the header. */
  rows: number;
  known: number;
}

/** The texts of a row, without trailing blanks. */
function headersOf(cells: readonly Cell[]): string[] {
  const headers = cells.map((cell) => cellText(cell).trim());
  while (headers.at(-1) === "") headers.pop();
  return headers;
}

/** Headers without repetitions: the second `Labels` becomes `Labels (2)`. */
function distinctHeaders(headers: readonly string[]): string[] {
  const used = new Set(headers);
  const seen = new Set<string>();
  return headers.map((header) => {
    if (header === "" || !seen.has(header)) {
      seen.add(header);
      return header;
    }
    let number = 2;
    while (used.has(`${header} (${number})`)) number++;
    used.add(`${header} (${number})`);
    return `${header} (${number})`;
  });
}

/** A row with its blank cells filled from the row above: a header merged over two rows has its text in the upper one. */
function withTextsAbove(row: SheetRow, above: SheetRow | undefined): Cell[] {
  if (above?.row !== row.row - 1) return row.cells;
  const width = Math.max(row.cells.length, above.cells.length);
  return Array.from({ length: width }, (_, column) => {
    const own = row.cells[column];
    return isFilled(own) ? (own as Cell) : (above.cells[column] ?? "");
  });
}

/**
 * Finds the header row: the first one with the most known columns, or without any known column the first row.
 * @param rows the first non-blank rows of a sheet
 */
export function findHeader(rows: readonly SheetRow[], { row: wanted, known }: HeaderChoice): Header | undefined {
  const candidates = rows.map((row, index): Header => {
    const [own, joined] = [headersOf(row.cells), headersOf(withTextsAbove(row, rows[index - 1]))];
    const [ownKnown, joinedKnown] = [known(own), known(joined)];
    const best = joinedKnown > ownKnown ? { headers: joined, known: joinedKnown } : { headers: own, known: ownKnown };
    return { ...best, headers: distinctHeaders(best.headers), row: row.row, rows: index + 1 };
  });
  if (wanted !== undefined) return candidates.find(({ row }) => row === wanted);
  return candidates.reduce<Header | undefined>((best, one) => (best && best.known >= one.known ? best : one), undefined);
}

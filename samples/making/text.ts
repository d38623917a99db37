/** How many rows every sample file has. */
export const ROWS = 300;

type Rows = readonly (readonly (string | number)[])[];
/** As many rows as every file has. @param make the row at an index from 0 */
export const rowsOf = <T>(make: (index: number) => T): T[] => Array.from({ length: ROWS }, (_, index) => make(index));

/** Rows as CSV. @param isQuoted puts every cell in quotes, as some tools do */
export function csv(rows: Rows, delimiter: string, isQuoted = false): string {
  const cell = (value: string | number) =>
    isQuoted || new RegExp(`["\r\n${delimiter}]`).test(String(value))
      ? `"${String(value).replaceAll('"', '""')}"`
      : String(value);
  return rows.map((row) => `${row.map(cell).join(delimiter)}\r\n`).join("");
}

/** Text in Windows-1252: Latin-1, and the signs it has in place of control characters. */
export function windows1252(text: string): Buffer {
  const signs: Readonly<Record<string, number>> = { "€": 0x80, "’": 0x92, "‘": 0x91, "–": 0x96 };
  return Buffer.from([...text].map((sign) => signs[sign] ?? sign.charCodeAt(0)));
}

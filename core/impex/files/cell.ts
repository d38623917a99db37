import { isDate } from "../../calendar/calendar.ts";
import { readInstant } from "../../declare/schema.ts";

/**
 * A cell as a file holds it: text, or what a workbook knows to be a number or a truth value. Dates of a workbook arrive as ISO text. An
 * empty cell is `""`; null is a cell whose formula failed.
 */
export type Cell = string | number | boolean | null;

/** How the cells of a column are read. */
export type Kind = "text" | "number" | "boolean" | "date" | "datetime" | "choice" | "list";

/** What a spreadsheet may run as a formula when a cell begins with it (conventions §22). */
const GUARDED = /^'+[=+\-@\t\r]/;
const DEFUSED = /^'*[=+\-@\t\r]/;

/** A text as an export writes it: with a leading apostrophe where a spreadsheet would run it, or where an import would remove one. */
export const guarded = (text: string): string => (DEFUSED.test(text) ? `'${text}` : text);

/** The text of a cell: trimmed, and without the apostrophe an export puts before what a spreadsheet would run. */
export function cellText(cell: Cell): string {
  if (typeof cell === "number") return plainNumber(cell);
  const text = String(cell ?? "").trim();
  return GUARDED.test(text) ? text.slice(1) : text;
}

/** A number without exponent and thousands separators. */
export function plainNumber(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign, whole = "", fraction = "", exponent] = match;
  const [digits, shift] = [whole + fraction, Number(exponent)];
  if (shift < 0) return `${sign}0.${"0".repeat(-shift - 1)}${digits}`;
  return `${sign}${digits.padEnd(shift + 1, "0")}`;
}

/** A number as an export writes it: `1.234` could be read as a thousand and more, `1.2340` cannot. */
export function exportedNumber(value: number | string): string {
  const text = typeof value === "number" ? plainNumber(value) : value;
  return isAmbiguous(text) ? `${text}0` : text;
}

const isAmbiguous = (text: string): boolean => /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/.test(text);
const GROUPED_BY_DOT = /^[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$/;
const GROUPED_BY_COMMA = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/;
const PLAIN = /^[+-]?\d+([.,]\d+)?(e[+-]?\d+)?$/i;

/**
 * A decimal number as text with a point, from Dutch (`1.234,56`) or plain notation (`1234.56`, `1,234.56`). Undefined for what is no
 * number and for `1.234` and `1,234`, which people read in two ways.
 */
export function readNumber(cell: Cell): string | undefined {
  if (typeof cell === "number") return plainNumber(cell);
  if (typeof cell !== "string") return undefined;
  const text = cellText(cell);
  if (isAmbiguous(text)) return undefined;
  if (PLAIN.test(text)) return text.replace(",", ".");
  if (GROUPED_BY_DOT.test(text)) return text.replaceAll(".", "").replace(",", ".");
  if (GROUPED_BY_COMMA.test(text)) return text.replaceAll(",", "");
  return undefined;
}

const TRUTH = new Map<string, boolean>([
  ...["ja", "yes", "true", "1", "waar"].map((word) => [word, true] as const),
  ...["nee", "no", "false", "0", "onwaar"].map((word) => [word, false] as const),
]);

/** A truth value from `ja`/`nee`, `yes`/`no`, `true`/`false`, `1`/`0`, or undefined. */
export const readBoolean = (cell: Cell): boolean | undefined => TRUTH.get(cellText(cell).toLowerCase());

/** Day 0 of the serial numbers of a workbook is 30 December 1899, so that 1 March 1900 and later come out right. */
const SERIAL_ZERO = Date.UTC(1899, 11, 30);
const DAY_MS = 86_400_000;

/** The instant, in UTC, that a workbook means by a number of days; to the millisecond. */
export const instantOfSerial = (serial: number): Date => new Date(SERIAL_ZERO + Math.round(serial * DAY_MS));
const LAST_SERIAL = 2_958_465;
const DUTCH_DATE = /^(\d{1,2})([-/])(\d{1,2})\2(\d{4})$/;

/** A date as `YYYY-MM-DD` from `31-12-2025`, `31/12/2025`, `2025-12-31` or a workbook's serial number, or undefined. */
export function readDate(cell: Cell): string | undefined {
  if (typeof cell === "number") {
    if (!Number.isInteger(cell) || cell < 61 || cell > LAST_SERIAL) return undefined;
    return instantOfSerial(cell).toISOString().slice(0, 10);
  }
  const text = cellText(cell);
  const [, day = "", , month = "", year] = DUTCH_DATE.exec(text) ?? [];
  const iso = year === undefined ? text : `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return isDate(iso) ? iso : undefined;
}

/** An instant from ISO text, or a date in any notation with or without a time in UTC, or undefined. */
export function readDatetime(cell: Cell): string | undefined {
  const text = cellText(cell);
  const [first = "", time = "00:00", ...rest] = text.split(/\s+/);
  const date = typeof cell === "number" ? readDate(cell) : rest.length === 0 ? readDate(first) : undefined;
  return readInstant(date === undefined ? text : `${date}T${time.padStart(5, "0")}`) ?? undefined;
}

/** Where a pattern that looks at one place only stops matching, or -1. */
function endOf(sticky: RegExp, text: string, from: number): number {
  sticky.lastIndex = from;
  return sticky.test(text) ? sticky.lastIndex : -1;
}

/** The quote that closes the one at `from`, a pair of them being a letter; -1 where there is none. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

const SPACE = /\s*/y;
const SPACE_TO_THE_END = /\s*(?=[;\n]|$)/y;
const UNQUOTED = /[^;\n]*/y;

/**
 * The parts of a cell that holds a list: separated by `;` or line breaks, in double quotes where a part holds one. Parts may be empty. Read
 * place by place: one pattern for a whole part runs out of stack in a cell of megabytes.
 */
export function readList(cell: Cell): string[] {
  const parts: string[] = [];
  const text = cellText(cell);
  for (let from = 0; ; from++) {
    from = endOf(SPACE, text, from);
    const closing = text[from] === '"' ? closingQuote(text, from) : -1;
    const quotedEnd = closing < 0 ? -1 : endOf(SPACE_TO_THE_END, text, closing + 1);
    const end = quotedEnd < 0 ? endOf(UNQUOTED, text, from) : quotedEnd;
    parts.push(quotedEnd < 0 ? text.slice(from, end).trim() : text.slice(from + 1, closing).replaceAll('""', '"'));
    if (end === text.length) return parts;
    from = end;
  }
}

/** A list as one cell. */
export const writeList = (parts: readonly string[]): string =>
  parts.map((part) => (/[;"\n]|^\s|\s$/.test(part) ? `"${part.replaceAll('"', '""')}"` : part)).join("; ");

import { shortened } from "../../values/stored-text.ts";

/** A number whose displayed form is the value: `00007` under the format `00000`. */
export interface Shown {
  number: number;
  shown: string;
}

/** A cell without a value: its text describes the fault. */
export interface Fault {
  fault: string;
  /** Whether it is a text too long for any cell. */
  isTooLong?: true;
}

/** A cell of a file: text, or a number or boolean of a workbook. Workbook dates arrive as ISO text. An empty cell is `""`. */
export type Cell = string | number | boolean | Shown | Fault;

/** A cell of an export; an empty one is `""`. */
export type ExportedCell = string | number | boolean;

/** The type of a column's cells. */
export type Kind =
  | ("id" | "text" | "number" | "boolean" | "date" | "datetime" | "choice" | "list" | "country" | "phone" | "email")
  /** One or several e-mail addresses. */
  | "emails"
  /** An instant; without an offset it is wall-clock time of the organisation. */
  | "local datetime";

/** Maximum characters of a cell (conventions §22). */
export const MOST_CHARACTERS = 100_000;
/** Maximum characters of a text in Excel. */
export const MOST_IN_WORKBOOK = 32_767;
/** Ends a text that an export has cut off, so that an import keeps the stored text. */
export const CUT_MARK = "  […cut off here: a spreadsheet cell has no more room]";

/** Whether a text has more than `most` characters. */
export const isLonger = (text: string, most: number): boolean => text.length > most && [...text].length > most;

/** A text cut to a cell's size, with a mark if it was cut. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return shortened(text, most - CUT_MARK.length) + CUT_MARK;
}

/** Whether an export has cut this text off. */
export const isCut = (value: unknown): boolean => typeof value === "string" && value.endsWith(CUT_MARK);

/** Displayed values of failed formulas, in English, Dutch and German, and in LibreOffice. */
const FAILED = [
  "#N/A|#REF!|#VALUE!|#DIV/0!|#NAME\\?|#NUM!|#NULL!|#SPILL!|#CALC!|#FIELD!|#BLOCKED!|#CONNECT!|#BUSY!|#UNKNOWN!|#GETTING_DATA",
  "#N/B|#VERW!|#WAARDE!|#DEEL/0!|#NAAM\\?|#GETAL!|#LEEG!|#OVERLOPEN!|#BEREKENEN!|#VELD!|#GEBLOKKEERD!|#VERBINDING!",
  "#NV|#BEZUG!|#WERT!|#ZAHL!|#ÜBERLAUF!|#KALK!|#FELD!|#BLOCKIERT!|#VERBINDEN!|Err:\\d{3}",
].join("|");
const IS_FAILED = new RegExp(`^(?:${FAILED})$`);
/** Text that a spreadsheet may run as a formula or read as a failed one (conventions §22). */
const DEFUSED = new RegExp(`^'*(?:[=+\\-@\\t\\r]|(?:${FAILED})$)`);
const GUARDED = new RegExp(`^'+(?:[=+\\-@\\t\\r]|(?:${FAILED})$)`);

/** A text for an exported CSV: with a leading apostrophe if a spreadsheet would run it, or if an import would remove one. */
export const guarded = (text: string): string => (DEFUSED.test(text) ? `'${text}` : text);
/** Undoes `guarded`: removes the apostrophe that an export adds. */
export const unguarded = (text: string): string => (GUARDED.test(text) ? text.slice(1) : text);

/** Characters of an overlong text that are kept, to identify it. */
const SHOWN_CHARACTERS = 60;
/** Replaces a text that is too long for any cell. */
export const tooLong = (text: string): Fault => ({
  fault: `${shortened(text, SHOWN_CHARACTERS)}… (more than 100,000 characters)`,
  isTooLong: true,
});

/** Converts a text of a CSV file to a cell. */
export function csvCell(text: string): Cell {
  if (IS_FAILED.test(text)) return { fault: text };
  const own = unguarded(text);
  return isLonger(own, MOST_CHARACTERS) ? tooLong(own) : own;
}

export const isFault = (cell: Cell): cell is Fault => typeof cell === "object" && "fault" in cell;

/** Whether a cell is not blank; a failed formula counts as filled. */
export const isFilled = (cell: Cell | undefined): boolean => (typeof cell === "string" ? cell.trim() !== "" : cell !== undefined);

/** The text of a cell, unchanged. */
export function cellText(cell: Cell): string {
  if (typeof cell === "number") return plainNumber(cell);
  if (typeof cell === "object") return "fault" in cell ? cell.fault : cell.shown;
  return String(cell);
}

/** The text of a cell, trimmed. */
export const bareText = (cell: Cell): string => cellText(cell).trim();

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
 * A decimal number as text with a point, from Dutch (`1.234,56`) or plain notation (`1234.56`, `1,234.56`). Undefined if it is not a
 * number, or ambiguous like `1.234` and `1,234`.
 */
export function readNumber(cell: Cell): string | undefined {
  if (typeof cell === "number") return plainNumber(cell);
  if (typeof cell === "object" && "shown" in cell) return plainNumber(cell.number);
  if (typeof cell !== "string") return undefined;
  const text = cell.trim();
  if (isAmbiguous(text)) return undefined;
  if (PLAIN.test(text)) return text.replace(",", ".");
  if (GROUPED_BY_DOT.test(text)) return text.replaceAll(".", "").replace(",", ".");
  if (GROUPED_BY_COMMA.test(text)) return text.replaceAll(",", "");
  return undefined;
}

/** Words for yes and no in Dutch, English and German. */
export const YES = ["ja", "yes", "true", "1", "waar", "wahr"] as const;
export const NO = ["nee", "no", "false", "0", "onwaar", "nein", "falsch"] as const;
const TRUTH = new Map<string, boolean>([
  ...YES.map((word) => [word, true] as const),
  ...NO.map((word) => [word, false] as const),
]);

/** A boolean from a word of `YES` or `NO`; otherwise undefined. */
export const readBoolean = (cell: Cell): boolean | undefined => TRUTH.get(bareText(cell).toLowerCase());

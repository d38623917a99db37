import { isDate } from "../../calendar/calendar.ts";

/** Which part of a date with slashes is the day: `dmy` the first, `mdy` the second. */
export type DateOrder = "dmy" | "mdy";

/** A date with slashes at the start of a text, with or without a time behind it. */
const SLASHED = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})(?!\d)/;
/** Milliseconds since 1970, of September 2001 to November 2286: nothing else in a column of dates has thirteen digits. */
const MILLISECONDS = /^[1-9]\d{12}$/;
const HALF_DAY = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*([ap])\.?\s?m\.?$/i;

/** The first three letters of the months in English, Dutch and German, without accents. */
const MONTHS = new Map(
  [
    ["jan"],
    ["feb"],
    ["mar", "maa", "mrt", "mae", "mrz"],
    ["apr"],
    ["may", "mei", "mai"],
    ["jun"],
    ["jul"],
    ["aug"],
    ["sep"],
    ["oct", "okt"],
    ["nov"],
    ["dec", "dez"],
  ].flatMap((names, index) => names.map((name) => [name, index + 1] as const)),
);
const monthOf = (name: string): number | undefined =>
  MONTHS.get(name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().slice(0, 3));

const dated = (year: string, month: number | string | undefined, day: string): string | undefined => {
  const iso = `${year.length === 2 ? `20${year}` : year}-${String(month).padStart(2, "0")}-${day.padStart(2, "0")}`;
  return isDate(iso) ? iso : undefined;
};

/** The notations of a date at the start of a text, each with its reading. No text begins with two of them. */
const NOTATIONS: readonly (readonly [RegExp, (parts: string[], order: DateOrder) => string | undefined])[] = [
  [SLASHED, ([one = "", other = "", year = ""], order) => (order === "mdy" ? dated(year, one, other) : dated(year, other, one))],
  [/^(\d{4})-(\d{2})-(\d{2})(?!\d)/, ([year = "", month, day = ""]) => dated(year, month, day)],
  [/^(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?!\d)/, ([year = "", month, day = ""]) => dated(year, month, day)],
  [/^(\d{1,2})([-.])(\d{1,2})\2(\d{4})(?!\d)/, ([day = "", , month, year = ""]) => dated(year, month, day)],
  [
    /^(\d{1,2})(?:[-/]|\.?\s+)(\p{L}{3,10})\.?(?:[-/]|,?\s+)(\d{4}|\d{2})(?!\d)/u,
    ([day = "", month = "", year = ""]) => dated(year, monthOf(month), day),
  ],
  [/^(\p{L}{3,10})\.?\s+(\d{1,2}),?\s+(\d{4})(?!\d)/u, ([month = "", day = "", year = ""]) => dated(year, monthOf(month), day)],
];

/** The date that a text begins with, and its length in the text. */
function dateAtStart(text: string, order: DateOrder): { date: string; length: number } | undefined {
  for (const [notation, read] of NOTATIONS) {
    const [whole, ...parts] = notation.exec(text) ?? [];
    if (whole === undefined) continue;
    const date = read(parts, order);
    return date === undefined ? undefined : { date, length: whole.length };
  }
  return undefined;
}

/** A time on a clock of 24 hours; any other text unchanged. */
function wholeDay(time: string): string {
  const [whole, hour = "", minute = "", second = "00", half = ""] = HALF_DAY.exec(time) ?? [];
  const hours = Number(hour);
  if (whole === undefined || hours < 1 || hours > 12) return time;
  return `${String((hours % 12) + (half.toLowerCase() === "p" ? 12 : 0)).padStart(2, "0")}:${minute}:${second}`;
}

/**
 * A date or an instant as other tools write it, in the notation of ours: `10/Nov/26 12:00 AM`, `Nov 10, 2026`, `03/04/2026, 09:00:00 AM`. A
 * date yields `YYYY-MM-DD`, with a time behind it if the text has one; any other text stays as it is.
 */
export function plainDate(text: string, order: DateOrder): string {
  const bare = text.trim();
  const found = dateAtStart(bare, order);
  if (found === undefined) return text;
  const { date, length } = found;
  const time = bare.slice(length).replace(/^,\s*/, " ");
  return time === "" ? date : /^\s/.test(time) ? `${date} ${wholeDay(time.trim())}` : date + time;
}

/** The instant, as ISO 8601 in UTC, that a number of milliseconds since 1970 means; undefined for any other text. */
export const instantOfDigits = (text: string): string | undefined =>
  MILLISECONDS.test(text) ? new Date(Number(text)).toISOString() : undefined;

/** The day and month of a date with slashes as numbers, in the order of the text; undefined for any other text. */
export function slashedParts(text: string): readonly [first: number, second: number] | undefined {
  const [whole, first, second] = SLASHED.exec(text.trim()) ?? [];
  return whole === undefined ? undefined : [Number(first), Number(second)];
}

/** Whether a text has a time on a clock of 12 hours or an amount in dollars, as files of the United States do. */
export const isAmerican = (text: string): boolean =>
  /\d\s*[ap]\.?m\.?$/i.test(text.trim()) || /^\s*[-(]?(?:US)?\$\s*\d/.test(text);

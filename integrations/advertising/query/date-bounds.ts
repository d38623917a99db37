import { daysInclusive, isDate } from "../../../core/calendar/dates.ts";

/** Most days of a query that selects metrics. */
const MOST_DAYS = 400;

/** A query that selects metrics must bound one of these date fields. */
const DATE_FIELDS = new Set([
  "segments.date",
  "segments.week",
  "segments.month",
  "segments.quarter",
  "segments.year",
  "change_event.change_date_time",
  "change_status.last_change_date_time",
]);

const CONDITION = /^([\w.]+) ?(between\b|during\b|[<>]=?(?![<>=])|=)/i;
const DATE = String.raw`\s*(['"])(\d{4}-\d\d-\d\d)[^'"]*`;
const ONE = new RegExp(`^${DATE}`);
const TWO = new RegExp(`^${DATE}\\1\\s*and${DATE}`, "i");

/** The dates of a condition's values; empty if they are not dates in quotes. */
const datesIn = (values: string, shape: RegExp): string[] => (shape.exec(values) ?? []).slice(1).filter(isDate);

const isShort = ([from, to]: readonly (string | undefined)[]): boolean =>
  from !== undefined && to !== undefined && daysInclusive(from, to) <= MOST_DAYS;

/**
 * Whether the conditions of a query bound a date field on both sides, to at most 400 days; the provider refuses a range with one end.
 * @param masked the conditions with masked strings, at the same positions as in `text`
 */
export function isBounded({ text, masked }: { text: string; masked: string }): boolean {
  const ends = new Map<string, { from: string[]; to: string[] }>();
  for (const { index } of masked.matchAll(/(?<=^|(?<![\w.])and(?![\w.]) ?)[\w.]+/gi)) {
    const found = CONDITION.exec(masked.slice(index));
    const [whole = "", field = "", operator = ""] = found ?? [];
    const name = field.toLowerCase();
    if (!found || !DATE_FIELDS.has(name)) continue;
    const values = text.slice(index + whole.length);
    if (operator === "=" || /^during$/i.test(operator)) return true;
    if (/^between$/i.test(operator)) {
      if (isShort(datesIn(values, TWO))) return true;
      continue;
    }
    const of = ends.get(name) ?? { from: [], to: [] };
    ends.set(name, of);
    of[operator.startsWith(">") ? "from" : "to"].push(...datesIn(values, ONE));
  }
  return [...ends.values()].some(({ from, to }) => isShort([from.toSorted().at(-1), to.toSorted()[0]]));
}

/** Days ahead of now after which a date is taken as impossible (contact moments §3). */
const MOST_AHEAD = 2 * 86_400_000;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** Minutes east of UTC of the zones with a name (RFC 5322 §4.3); any other name has an unknown offset, which counts as UTC. */
const ZONES: Readonly<Record<string, number>> = {
  EST: -300,
  EDT: -240,
  CST: -360,
  CDT: -300,
  MST: -420,
  MDT: -360,
  PST: -480,
  PDT: -420,
};
const DATE =
  /^(?:[a-z]{2,9}\s*,?\s*)?(\d{1,2})[\s-]+([a-z]{3})[a-z]*\.?[\s-]+(\d{2,4})[\s,]+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?\s*(.*)$/i;

/** Minutes east of UTC; 0 for an unknown zone. */
function offsetOf(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})(?!\d)/.exec(zone) ?? [];
  if (sign === undefined) return ZONES[/^[a-z]+/i.exec(zone)?.[0].toUpperCase() ?? ""] ?? 0;
  const [h, m] = [Number(hours), Number(minutes)];
  return h > 15 || m > 59 ? 0 : (sign === "-" ? -1 : 1) * (h * 60 + m);
}

/** A year of two or three digits as RFC 5322 §4.3 reads it. */
const yearOf = (digits: string): number => {
  const year = Number(digits);
  if (digits.length > 3) return year;
  return digits.length === 2 && year < 50 ? 2000 + year : 1900 + year;
};

/**
 * Parses the date of a header (RFC 5322 §3.3, §4.3), also without a zone or with an unknown one: that is UTC.
 * @returns milliseconds since 1970; null for a text that is not a date, or a day or time that does not exist
 */
export function readHeaderDate(text: string): number | null {
  const plain = text.replace(/\([^()]*\)/g, " ").trim();
  const [, day, name = "", year = "", hour, minute, second = "0", zone = ""] = DATE.exec(plain) ?? [];
  if (day === undefined) {
    const other = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(plain)
      ? Date.parse(/(?:z|[+-]\d\d:?\d\d)$/i.test(plain) ? plain : `${plain}Z`)
      : NaN;
    return Number.isNaN(other) ? null : other;
  }
  const month = MONTHS.indexOf(name.toLowerCase());
  const [y, d, h, m, s] = [yearOf(year), Number(day), Number(hour), Number(minute), Math.min(Number(second), 59)];
  const at = new Date(Date.UTC(y, month, d, h, m, s));
  // A day that its month lacks would move into the next month.
  if (month < 0 || h > 23 || m > 59 || Number(second) > 60 || at.getUTCDate() !== d || at.getUTCMonth() !== month) return null;
  return at.getTime() - offsetOf(zone) * 60_000;
}

/** The time of a `Received` header, which follows its last semicolon (RFC 5322 §3.6.7). */
const receivedAt = (value: string): number | null => readHeaderDate(value.slice(value.lastIndexOf(";") + 1));

/** Whether an instant is too far ahead to be when something happened. @param now milliseconds since 1970 */
export const isTooFarAhead = (at: number, now: number): boolean => at > now + MOST_AHEAD;

/**
 * When a message was sent: its `Date`, else its newest `Received`.
 * @param now milliseconds since 1970; dates more than two days later are impossible
 * @returns ISO 8601, UTC; null if no header has a possible date
 */
export function sentAt(date: string | undefined, received: readonly string[], now: number): string | null {
  const possible = (at: number | null): at is number => at !== null && !isTooFarAhead(at, now);
  const own = date === undefined ? null : readHeaderDate(date);
  const at = possible(own) ? own : Math.max(...received.map(receivedAt).filter(possible));
  return Number.isFinite(at) ? new Date(at).toISOString() : null;
}

import { isDate } from "../../../core/calendar/dates.ts";
import { formatAmount, isDecimal } from "../../../core/values/money.ts";

const DATE = /^(?:(\d{4})-(\d\d)-(\d\d)|(\d\d)-(\d\d)-(\d{4})(?:\s*\(.*\))?)$/;

/** Parses a date in a response, `2027-03-01` or `01-03-2027 (dd-mm-yyyy)`, to `YYYY-MM-DD`; null if invalid (assets §10.1). */
export function readDate(text: string | null): string | null {
  const [, year, month, day, day2, month2, year2] = DATE.exec(text ?? "") ?? [];
  const date = `${year ?? year2}-${month ?? month2}-${day ?? day2}`;
  return isDate(date) && !date.startsWith("0000") ? date : null;
}

/** Parses `Y` and `N`; null for anything else, meaning not reported. */
export function readFlag(text: string | null): boolean | null {
  const word = text?.toUpperCase();
  return word === "Y" ? true : word === "N" ? false : null;
}

/** More digits before the decimal mark than any real balance. */
const MOST_DIGITS = 12;

/** Parses an amount with a decimal comma, `1.234,56`, or a point, to decimal text with two decimals; null if invalid. */
export function readAmount(text: string | null): string | null {
  const bare = (text ?? "").replace(/[\s€]/g, "");
  const mark = Math.max(bare.lastIndexOf(","), bare.lastIndexOf("."));
  const plain = mark < 0 ? `${bare}.0` : `${bare.slice(0, mark).replace(/[.,]/g, "")}.${bare.slice(mark + 1)}`;
  return isDecimal(plain) && plain.indexOf(".") <= MOST_DIGITS && plain.length <= 2 * MOST_DIGITS ? formatAmount(plain) : null;
}

/** The name servers `ns1_fqdn` to `ns6_fqdn`: lower-case, without a trailing dot, unique and sorted. */
export function readHosts(texts: readonly (string | null)[]): string[] {
  const hosts = texts.flatMap((text) => (text === null ? [] : [text.toLowerCase().replace(/\.+$/, "")]));
  return [...new Set(hosts.filter((host) => host !== ""))].sort();
}

import { isDate } from "../../../core/calendar/calendar.ts";
import { decimal, formatDecimal } from "../../../core/values/money.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { MOST_TEXT } from "./read-statement.ts";
import { type FaultAt, StatementUnreadable } from "./unreadable.ts";

const AMOUNT = /^[+-]?\d{1,12}(\.\d{0,5})?$/;

/**
 * An amount as decimal text with 2 decimals. A comma or point separates the decimals; thousands have no separator.
 * @throws StatementUnreadable for anything else, and for parts of a cent
 */
export function amountOf(text: string, at: FaultAt): string {
  const plain = text.trim().replace(",", ".");
  if (!AMOUNT.test(plain)) throw new StatementUnreadable("unreadable_entry", `'${shortened(text, 40)}' is not an amount.`, at);
  const value = decimal(plain.replace(/\.$/, ""));
  if (!value.times(100).isInteger())
    throw new StatementUnreadable("unreadable_entry", `The amount ${plain} has parts of a cent.`, at);
  return formatDecimal(value);
}

/** The amount with the opposite sign. */
export const negated = (amount: string): string => formatDecimal(decimal(amount).negated());

/** A day from its parts. @throws StatementUnreadable if the calendar has no such day */
export function dayOf(year: string, month: string, day: string, at: FaultAt): string {
  const iso = `${year}-${month}-${day}`;
  if (!isDate(iso)) throw new StatementUnreadable("unreadable_entry", `'${year}-${month}-${day}' is not a day.`, at);
  return iso;
}

const DAYS: readonly [RegExp, readonly [number, number, number]][] = [
  [/^(\d{4})-(\d{2})-(\d{2})(?:T.*)?$/, [1, 2, 3]],
  [/^(\d{4})(\d{2})(\d{2})$/, [1, 2, 3]],
  [/^(\d{2})-(\d{2})-(\d{4})$/, [3, 2, 1]],
];

/** A day as banks write it: `2026-03-01` (with or without a time), `20260301`, `01-03-2026`. @throws StatementUnreadable */
export function writtenDay(text: string, at: FaultAt): string {
  for (const [form, [year, month, day]] of DAYS) {
    const found = form.exec(text.trim());
    if (found) return dayOf(found[year] as string, found[month] as string, found[day] as string, at);
  }
  throw new StatementUnreadable("unreadable_entry", `'${shortened(text, 40)}' is not a day.`, at);
}

const CURRENCY = /^[A-Z]{3}$/;
/** A currency code. @throws StatementUnreadable */
export function currencyOf(text: string, at: FaultAt): string {
  if (CURRENCY.test(text)) return text;
  throw new StatementUnreadable("unreadable_entry", `'${shortened(text, 20)}' is not a currency.`, at);
}

/** A text on one line, without control characters. @throws StatementUnreadable for one that is too long */
export function oneLine(text: string, at: FaultAt): string {
  if (text.length > MOST_TEXT)
    throw new StatementUnreadable("unreadable_entry", `A text has more than ${MOST_TEXT} characters.`, at);
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

/** A text on one line, or null if it is empty. */
export const lineOrNull = (text: string | null | undefined, at: FaultAt): string | null => oneLine(text ?? "", at) || null;

const ACCOUNT = /^[A-Z0-9]{4,34}$/;
/** A number of an account as it is stored: without spaces, points and its currency, in upper case; null if it is not one. */
export function accountOf(text: string | null | undefined): string | null {
  const plain = (text ?? "").toUpperCase().replace(/[\s.]/g, "");
  return ACCOUNT.test(plain) ? plain : null;
}

const NO_REFERENCE = /^(NOTPROVIDED|NONREF|EREF|PREF|MARF|0+)?$/i;
/** A reference, or null for the words by which banks say that there is none. */
export function referenceOf(text: string | null | undefined, at: FaultAt): string | null {
  const plain = oneLine(text ?? "", at);
  return NO_REFERENCE.test(plain) ? null : plain;
}

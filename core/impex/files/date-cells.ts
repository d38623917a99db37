import { dateIn, isDate } from "../../calendar/calendar.ts";
import { readInstant } from "../../schema/schema.ts";
import { bareText, type Cell } from "./cell.ts";
import { type DateOrder, instantOfDigits, plainDate } from "./dates.ts";

/** What the dates of a column mean beyond their text. */
export interface DateReading {
  order: DateOrder;
  /** The organisation's zone, for the date of an instant that is written as a number. */
  zone: string;
}
const PLAIN: DateReading = { order: "dmy", zone: "UTC" };

/** Day 0 of a workbook's serial dates is 30 December 1899, which makes 1 March 1900 and later correct. */
const SERIAL_ZERO = Date.UTC(1899, 11, 30);
const DAY_MS = 86_400_000;
const LAST_SERIAL = 2_958_465;

/** The UTC instant of a workbook's serial date, to the millisecond. */
export const instantOfSerial = (serial: number): Date => new Date(SERIAL_ZERO + Math.round(serial * DAY_MS));

const DATE = /^\d{4}-\d\d-\d\d/;
/** The time after a date: ` 00:00:00`, `T10:15:30.000Z`, ` 10:15 UTC`, ` 23:59:59 +0100`, ` 07:59 PRC`. */
const TIME_OF_DAY = /^[Tt ]\s*\d{1,2}:\d{2}(:\d{2}([.,]\d{1,9})?)?\s*([Zz]|utc|gmt|[A-Z]{3,5}|[+-]\d{2}:?\d{2})?$/;
const OFFSET = /(?:[Zz]|[+-]\d\d:?\d\d)$/;

/** The date of a workbook's serial number. */
function serialDate(serial: number): string | undefined {
  if (!Number.isInteger(serial) || serial < 61 || serial > LAST_SERIAL) return undefined;
  return instantOfSerial(serial).toISOString().slice(0, 10);
}

/**
 * A date as `YYYY-MM-DD` from any notation of `plainDate` or a workbook's serial number; otherwise undefined. An instant yields its date as
 * written (conventions §22), and one that is written as milliseconds its date in the zone.
 */
export function readDate(cell: Cell, { order, zone }: DateReading = PLAIN): string | undefined {
  const text = bareText(cell);
  const instant = instantOfDigits(text);
  if (instant !== undefined) return dateIn(zone, instant);
  if (typeof cell === "number") return serialDate(cell);
  const plain = plainDate(text, order);
  const rest = plain.slice(10);
  return DATE.test(plain) && isDate(plain.slice(0, 10)) && (rest === "" || TIME_OF_DAY.test(rest))
    ? plain.slice(0, 10)
    : undefined;
}

/** The ISO text of a date in any notation, with or without time; any other text unchanged. */
function datetimeText(cell: Cell, { order }: DateReading): string {
  const text = bareText(cell);
  const instant = instantOfDigits(text);
  if (instant !== undefined) return instant;
  const date = typeof cell === "number" ? serialDate(cell) : undefined;
  if (date !== undefined) return `${date}T00:00`;
  const plain = plainDate(text, order);
  if (!DATE.test(plain)) return text;
  const [day = "", time = "00:00", ...rest] = plain.split(/\s+/);
  return rest.length > 0 || day.length > 10 ? plain : `${day}T${time.padStart(5, "0")}`;
}

/** An instant from ISO text, or from a date in any notation with an optional time in UTC; otherwise undefined. */
export const readDatetime = (cell: Cell, reading: DateReading = PLAIN): string | undefined =>
  readInstant(datetimeText(cell, reading)) ?? undefined;

/** As `readDatetime`, but a text without offset stays without one, `YYYY-MM-DDTHH:MM[:SS]`; the kind of record determines its zone. */
export function readLocalDatetime(cell: Cell, reading: DateReading = PLAIN): string | undefined {
  const text = datetimeText(cell, reading);
  const read = readInstant(text);
  return OFFSET.test(text) ? (read ?? undefined) : read?.slice(0, -1);
}

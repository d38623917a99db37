import fc from "fast-check";
import { dateOfDayNumber, dayNumber, type IsoDate } from "../../../core/calendar/calendar.ts";
import type { ApiError } from "../../../core/errors/errors.ts";
import { cases } from "../../support/cases.ts";

/** Every property runs this many cases. */
export const CASES = cases(1000);

export const anyDate = (from: IsoDate, to: IsoDate): fc.Arbitrary<IsoDate> =>
  fc.integer({ min: dayNumber(from), max: dayNumber(to) }).map(dateOfDayNumber);

/** Zones with changes of the clock in both halves of the year, at midnight, of half an hour, and none. */
export const anyZone = fc.constantFrom(
  "Europe/Amsterdam",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/Santiago",
  "Asia/Beirut",
  "Asia/Kathmandu",
  "Pacific/Apia",
  "UTC",
);

/** The nth id of a kind of rows: valid, with letters, and easy to distinguish. */
export const id = (kind: string, nth = 0): string =>
  `abcdef${kind.charCodeAt(0).toString(16)}-0000-4000-8000-${String(nth).padStart(12, "0")}`;

/** A refusal as `code`, or as `field=message` of its fields; null when there is none. */
export function refused(rule: () => unknown): string | null {
  try {
    rule();
    return null;
  } catch (error) {
    const { type, data } = error as ApiError & { data: { fields?: Record<string, string> } };
    const fields = Object.entries(data.fields ?? {}).map(([field, message]) => `${field}=${message}`);
    return fields.length > 0 ? fields.join(" ") : type;
  }
}

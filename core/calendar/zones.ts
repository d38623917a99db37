import { Temporal } from "temporal-polyfill";
import { CALENDAR, type IsoDate } from "./dates.ts";
import type { WallTime } from "./times.ts";

/** An instant: ISO 8601 with offset (`…Z`, `…+02:00`; without offset it is UTC) or milliseconds since 1970. */
export type InstantLike = string | number;

const OFFSET = /(?:Z|[+-]\d{2}(?::?\d{2}(?::?\d{2})?)?)$/i;
const MEMORY = 4096;

const zoneKnown = new Map<string, boolean>();
const offsetOfDay = new Map<string, string | null>();

function remember<V>(memory: Map<string, V>, key: string, compute: () => V): V {
  const known = memory.get(key);
  if (known !== undefined) return known;
  if (memory.size >= MEMORY) memory.clear();
  const value = compute();
  memory.set(key, value);
  return value;
}

/** Whether `zone` names a time zone of the IANA database. A bare offset such as `+02:00` is not a zone. */
export function isZone(zone: unknown): zone is string {
  if (typeof zone !== "string" || zone === "" || zone.startsWith("+") || zone.startsWith("-")) return false;
  return remember(zoneKnown, zone, () => {
    try {
      new Intl.DateTimeFormat("en", { timeZone: zone });
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * The zone to use: `zone` if the IANA database knows it, otherwise `fallback` (the instance's default). An unset or unknown stored zone is
 * never an error (conventions chapter §15).
 */
export function zoneOr(zone: string | null | undefined, fallback: string): string {
  return isZone(zone) ? zone : fallback;
}

function instantOf(instant: InstantLike): Temporal.Instant {
  if (typeof instant === "number") return Temporal.Instant.fromEpochMilliseconds(instant);
  return Temporal.Instant.from(OFFSET.test(instant) && instant.includes("T") ? instant : `${instant}Z`);
}

/**
 * An instant as UTC text `YYYY-MM-DDTHH:MM:SS[.fff]Z`. Text without offset means UTC (conventions chapter §9). Throws RangeError if it is
 * not an instant.
 */
export function utcInstant(instant: InstantLike): string {
  return instantOf(instant).toString();
}

/** The calendar date of an instant in `zone`. Throws RangeError for an unknown zone: resolve it with {@link zoneOr}. */
export function dateIn(zone: string, instant: InstantLike): IsoDate {
  return instantOf(instant).toZonedDateTimeISO(zone).toPlainDate().toString();
}

/** The wall-clock time of an instant in `zone`, `HH:MM`. Throws RangeError for an unknown zone. */
export function timeIn(zone: string, instant: InstantLike): WallTime {
  return instantOf(instant).toZonedDateTimeISO(zone).toPlainTime().toString({ smallestUnit: "minute" });
}

/** The wall clock at an instant in `zone`, `YYYY-MM-DD HH:MM:SS`, without its fraction. Throws RangeError for an unknown zone. */
export function wallClockIn(zone: string, instant: InstantLike): string {
  return instantOf(instant).toZonedDateTimeISO(zone).toPlainDateTime().toString({ smallestUnit: "second" }).replace("T", " ");
}

/** Today's date in an organisation's zone, or in `fallback` if the zone is unknown (people chapter §1: never the UTC date). */
export function todayIn(zone: string | null | undefined, now: InstantLike, fallback: string): IsoDate {
  return dateIn(zoneOr(zone, fallback), now);
}

/** The first instant of a date in `zone`, as UTC text. Usually local 00:00; if the clock skips midnight, the first moment after the gap. */
export function midnight(date: IsoDate, zone: string): string {
  return Temporal.PlainDate.from(date).toZonedDateTime(zone).toInstant().toString();
}

/** The next date, even after 9999-12-31, because that day needs an end as well. */
function dayAfter(date: IsoDate): Temporal.PlainDate {
  return Temporal.PlainDate.from(date).add({ days: 1 });
}

/** The first instant of a date in `zone` (`start`) and of the next date (`end`), as UTC text. */
export function dayBounds(date: IsoDate, zone: string): { start: string; end: string } {
  return { start: midnight(date, zone), end: midnight(dayAfter(date).toString(), zone) };
}

/**
 * The bounds of a date range in `zone`, for SQL: `from` inclusive, `until` exclusive. The first and the last day of the calendar become
 * infinite, because PostgreSQL reads neither the year 0, in which the first day may begin, nor the year 10000.
 */
export function rangeBounds(from: IsoDate, to: IsoDate, zone: string): { from: string; until: string } {
  return {
    from: from === CALENDAR.first ? "-infinity" : midnight(from, zone),
    until: to === CALENDAR.last ? "infinity" : midnight(dayAfter(to).toString(), zone),
  };
}

/**
 * The instant of the wall-clock time `local` in `zone`, `YYYY-MM-DDTHH:MM` with or without seconds, as UTC text. A skipped time moves on by
 * the gap; an ambiguous time is the first of the two (conventions §9). Throws RangeError if it is not a date with a time.
 */
export function wallInstant(zone: string, local: string): string {
  return Temporal.PlainDateTime.from(local).toZonedDateTime(zone).toInstant().toString();
}

/** The instant one calendar day later in `zone`, at the same wall-clock time, as UTC text. */
export function dayLater(zone: string, instant: InstantLike): string {
  return instantOf(instant).toZonedDateTimeISO(zone).add({ days: 1 }).toInstant().toString();
}

/** An offset as ISO 8601 has it. Clocks before zone time, such as those of Amsterdam in 1880, were off by seconds as well. */
const isWholeMinutes = (offset: string): boolean => /^[+-]\d\d:\d\d$/.test(offset);

/** The constant offset of a whole day in `zone`; null on a day with a clock change, and for an offset with seconds. */
function dayOffset(date: IsoDate, zone: string): string | null {
  return remember(offsetOfDay, `${zone} ${date}`, () => {
    const start = Temporal.PlainDate.from(date).toZonedDateTime(zone);
    const end = dayAfter(date).toZonedDateTime(zone);
    const steady = start.offset === end.offset && end.epochMilliseconds - start.epochMilliseconds === 86_400_000;
    return steady && isWholeMinutes(start.offset) ? start.offset : null;
  });
}

/**
 * The instant of the wall-clock time `time` on `date` in `zone`: `YYYY-MM-DDTHH:MM:00±HH:MM`, so that 08:30 stays 08:30 across clock
 * changes. A skipped time moves on by the gap; an ambiguous time is the first of the two (RFC 5545 §3.3.5). `24:00` is the next day's
 * 00:00. In UTC where the zone's offset has seconds.
 */
export function instantIn(zone: string, date: IsoDate, time: WallTime): string {
  if (time === "24:00") return instantIn(zone, dayAfter(date).toString(), "00:00");
  const offset = dayOffset(date, zone);
  if (offset !== null) return `${date}T${time}:00${offset}`;
  const local = Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(zone);
  if (!isWholeMinutes(local.offset)) return local.toInstant().toString();
  return `${local.toPlainDateTime().toString({ smallestUnit: "second" })}${local.offset}`;
}

/**
 * The instants of a wall-clock window on one date, as {@link instantIn} returns them. They are never reversed: if the clock skips the start
 * but not the end, or the window itself is reversed, the end equals the start.
 */
export function windowIn(zone: string, date: IsoDate, from: WallTime, to: WallTime): { start: string; end: string } {
  const [start, end] = [instantIn(zone, date, from), instantIn(zone, date, to)];
  return { start, end: Date.parse(end) < Date.parse(start) ? start : end };
}

/** A clock change of a zone: the wall-clock time before the change, and the offsets before and after, `±HH:MM`. */
export interface ClockChange {
  readonly local: string;
  readonly before: string;
  readonly after: string;
}

/**
 * The clock changes of `zone` for a range of dates, in order. The first is the change that established the first day's offset (with equal
 * offsets if there never was one); those within the range follow.
 */
export function clockChanges(zone: string, from: IsoDate, to: IsoDate): ClockChange[] {
  const start = Temporal.PlainDate.from(from).toZonedDateTime(zone).add({ nanoseconds: 1 });
  const end = dayAfter(to).toZonedDateTime(zone).epochMilliseconds;
  const changes: ClockChange[] = [];
  let at = start.getTimeZoneTransition("previous");
  if (at === null) changes.push({ local: "1970-01-01T00:00:00", before: start.offset, after: start.offset });
  for (
    at ??= start.getTimeZoneTransition("next");
    at !== null && at.epochMilliseconds < end;
    at = at.getTimeZoneTransition("next")
  ) {
    // The last moment before the change: an offset of local mean time has seconds and is not a valid zone name.
    const last = at.subtract({ nanoseconds: 1 });
    const local = last.toPlainDateTime().add({ nanoseconds: 1 }).toString({ smallestUnit: "second" });
    changes.push({ local, before: last.offset.slice(0, 6), after: at.offset });
  }
  return changes;
}

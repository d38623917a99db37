import { addDays, dateIn, type IsoDate, isDate, timeIn, utcInstant } from "../../../../core/calendar/calendar.ts";
import type { Refused } from "../../../../core/impex/entity.ts";
import { refusedBy } from "../../../../core/impex/import.ts";
import { readInstant } from "../../../../core/schema/schema.ts";
import { minutesIn } from "../durations.ts";
import { createdTimes, type FinishedTimes } from "../entry-times.ts";

const CLOCK = /^(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:\.\d+)?)?\s*(?:([ap])\.?m\.?)?$/i;
/** A cell formatted as a time in a workbook includes the day on which its calendar starts. */
const CLOCK_OF_WORKBOOK = /^(?:1899-12-3[01]|1900-01-0\d|1904-01-01)T(\d\d:\d\d:\d\d)Z?$/;
/** An instant with an offset from UTC. */
const WITH_OFFSET = /^\d{4}-\d\d-\d\d[T ].*(?:Z|[+-]\d\d:?\d\d)$/i;
/** The start of work if the file gives only a date. */
const MORNING = "09:00:00";
const DAY_MINUTES = 1440;
const LAST_DATE = "9999-12-31";

/** The date of a cell whose notation is ours (see `plainDate`), or undefined if it has none. */
export function sheetDate(text: string): IsoDate | undefined {
  const [iso = ""] = text.trim().split(/[T ]/);
  return isDate(iso) ? iso : undefined;
}

/** The time `HH:MM:SS` of a cell, from a 24- or 12-hour clock, or undefined if it has none. */
export function sheetClock(text: string): string | undefined {
  const bare = CLOCK_OF_WORKBOOK.exec(text.trim())?.[1] ?? text.trim();
  const [whole, hour = "", minute = "", second = "00", half] = CLOCK.exec(bare) ?? [];
  if (whole === undefined) return undefined;
  const read = Number(hour);
  if (half !== undefined && (read < 1 || read > 12)) return undefined;
  const hours = half === undefined ? read : (read % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  if (hours > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  return `${String(hours).padStart(2, "0")}:${minute}:${second}`;
}

/** Whole minutes of a duration in a cell; undefined if it is not one. */
export const sheetMinutes = (text: string): number | undefined => minutesIn(CLOCK_OF_WORKBOOK.exec(text.trim())?.[1] ?? text);

/**
 * The times in a row of a file; blank cells are left out. Instants are in UTC or, without an offset, in the organisation's time zone;
 * minutes and breaks are decimal text.
 */
export interface SheetTimes {
  readonly started_at?: string | undefined;
  readonly ended_at?: string | undefined;
  readonly minutes?: string | undefined;
  readonly break_minutes?: string | undefined;
  readonly date?: string | undefined;
  readonly start_time?: string | undefined;
  readonly end_date?: string | undefined;
  readonly end_time?: string | undefined;
  readonly duration?: string | undefined;
}

/** The same in the terms of a body, instants in UTC; undefined for blank columns. */
export interface SaidTimes {
  readonly started_at: string | undefined;
  readonly ended_at: string | undefined;
  readonly minutes: number | undefined;
  readonly break_minutes: number | undefined;
}

const INVALID_DATE = "impex.errors.invalid_date";
const INVALID = "errors.validation";

const wholeMinutes = (text: string): number | undefined => {
  const minutes = Number(text);
  return Number.isInteger(minutes) && minutes >= 0 && minutes <= DAY_MINUTES ? minutes : undefined;
};

/** A local time, with its date if the cell includes one. */
function sheetMoment(text: string, zone: string): { date?: IsoDate; clock: string } | undefined {
  const clock = sheetClock(text);
  if (clock !== undefined) return { clock };
  const instant = WITH_OFFSET.test(text.trim()) ? readInstant(text) : null;
  if (instant !== null)
    return { date: dateIn(zone, instant), clock: `${timeIn(zone, instant)}:${utcInstant(instant).slice(17, 19)}` };
  const [first = "", ...rest] = text.trim().split(/[\sT]+/);
  const [date, behind] = [sheetDate(first), sheetClock(rest.join(" "))];
  return date !== undefined && behind !== undefined ? { date, clock: behind } : undefined;
}

/**
 * Reads the times of a row: instants, or a date with local times, in the organisation's time zone as in a body (work chapter §4.1). With
 * only a date the work starts at 09:00; an end without its own date that is before the start is on the next day.
 * @param zone the organisation's
 * @returns the times, or the errors by column
 */
export function saidTimes(row: SheetTimes, zone: string): SaidTimes | { refused: Refused } {
  const refused: Refused = {};
  const read = <T>(column: keyof SheetTimes, reader: (text: string) => T | undefined, error: string): T | undefined => {
    const text = row[column];
    const value = text === undefined ? undefined : reader(text);
    if (text !== undefined && value === undefined) refused[column] = error;
    return value;
  };
  const date = read("date", sheetDate, INVALID_DATE);
  const endDate = read("end_date", sheetDate, INVALID_DATE);
  const start = read("start_time", (text) => sheetMoment(text, zone), INVALID);
  const end = read("end_time", (text) => sheetMoment(text, zone), INVALID);
  const break_minutes = read("break_minutes", wholeMinutes, INVALID);
  const minutes = read("minutes", wholeMinutes, INVALID) ?? read("duration", sheetMinutes, INVALID);
  if (Object.keys(refused).length > 0) return { refused };
  const day = start?.date ?? date;
  const instant = (text: string | undefined) => (text === undefined ? undefined : (readInstant(text, zone) ?? undefined));
  const started_at = instant(row.started_at ?? (day && `${day}T${start?.clock ?? MORNING}`));
  const ended_at = instant(row.ended_at ?? (end && endOf(started_at, end.date ?? endDate, end.clock, zone)));
  return { started_at, ended_at, minutes, break_minutes };
}

/** The local end that a time names: on its own date, else on that of the start or the next one. */
function endOf(startedAt: string | undefined, date: IsoDate | undefined, clock: string, zone: string): string | undefined {
  const day = date ?? (startedAt && dateIn(zone, startedAt));
  if (day === undefined) return undefined;
  const end = readInstant(`${day}T${clock}`, zone);
  const isNextDay =
    date === undefined && startedAt !== undefined && end !== null && Date.parse(end) < Date.parse(startedAt) && day < LAST_DATE;
  return `${isNextDay ? addDays(day, 1) : day}T${clock}`;
}

/**
 * The times of a new entry from a row, as for a body: the end wins over the minutes (work chapter §4.1).
 * @param zone the organisation's
 * @returns the times, or the errors by column
 */
export function newTimes(said: SaidTimes, zone: string): FinishedTimes | { refused: Refused } {
  const { started_at, ended_at, minutes, break_minutes } = said;
  if (started_at === undefined) return { refused: { started_at: "errors.required" } };
  if (ended_at === undefined && minutes === undefined) return { refused: { ended_at: "errors.required" } };
  if (ended_at === undefined && minutes !== undefined && minutes > DAY_MINUTES) return { refused: { duration: INVALID } };
  try {
    return createdTimes({ started_at, ended_at, minutes, break_minutes }, zone);
  } catch (error) {
    return { refused: refusedBy(error) };
  }
}

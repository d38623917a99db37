import { DAY_MINUTES, eachDay, type IsoDate, minutesOfTime, timeOfMinutes, windowIn } from "../../../core/calendar/calendar.ts";
import { type Hours, hoursOfMinutes } from "../working-time/hours.ts";
import { scheduledDay, type WeekSources, weekOn } from "../working-time/schedule.ts";
import { type Stretch, sameStretches, subtract, totalMinutes, union } from "../working-time/stretches.ts";
import { breaksOf, firstWorkingDay, stretchesOf, type TimeWindow } from "../working-time/week.ts";
import { type AvailabilityEntry, type AvailabilityRule, occurrences } from "./availability.ts";

/** How a day differs from the week: added (nothing was scheduled), removed (no work is left), else changed. */
export type AvailabilityChange = "added" | "removed" | "changed";

/** One day of one person after all exceptions (people chapter §10, "Resolving a day"). */
export interface AvailabilityDay {
  readonly date: IsoDate;
  readonly hours: Hours;
  readonly base_hours: Hours;
  readonly windows: readonly TimeWindow[];
  readonly change: AvailabilityChange | null;
  readonly deviates: boolean;
  readonly entry_ids: readonly string[];
  readonly starts_at: string | null;
  readonly ends_at: string | null;
}

const LAST_MINUTE = "23:59";

/** A minute of the day as text; the end of the day prints as 23:59. */
function printed(minutes: number): string {
  return minutes === DAY_MINUTES ? LAST_MINUTE : timeOfMinutes(minutes);
}

/**
 * A row's window on a day with the stretches `held`; null for a row without a window, which covers the whole day.
 * An open bound closes at the edge of `held`, or at midnight on an empty day. An inverted window covers nothing.
 */
function windowOn(rule: AvailabilityRule, held: readonly Stretch[]): Stretch | null {
  if (rule.start_time === null && rule.end_time === null) return null;
  const start = rule.start_time === null ? (held[0]?.start ?? 0) : minutesOfTime(rule.start_time);
  const end = rule.end_time === null ? (held.at(-1)?.end ?? DAY_MINUTES) : minutesOfTime(rule.end_time);
  return { start, end: Math.max(start, end) };
}

const isOpen = (rule: AvailabilityRule): boolean => (rule.start_time === null) !== (rule.end_time === null);

/** Adds the extras to the scheduled stretches. Those with an open bound come last, so the order of rows does not matter. */
function withExtras(base: readonly Stretch[], typical: readonly Stretch[], extras: readonly AvailabilityRule[]): Stretch[] {
  const wholeDay = base.length > 0 ? base : typical;
  const closed = extras.filter((rule) => !isOpen(rule));
  const held = union([...base, ...closed.flatMap((rule) => windowOn(rule, base) ?? wholeDay)]);
  return union([...held, ...extras.filter(isOpen).flatMap((rule) => windowOn(rule, held) ?? [])]);
}

/** The stretches of a typical day: the first working day of the person's week, or of the default week if that has none. */
function typicalStretches(person: WeekSources, date: IsoDate): readonly Stretch[] {
  return stretchesOf(firstWorkingDay(weekOn(person, date)) ?? firstWorkingDay(person.default_schedule));
}

function changeOf(base: readonly Stretch[], result: readonly Stretch[]): AvailabilityChange | null {
  if (sameStretches(base, result)) return null;
  if (base.length === 0) return "added";
  return result.length === 0 ? "removed" : "changed";
}

/** A day's hours and windows as text. */
interface Printed {
  readonly hours: Hours;
  readonly windows: readonly TimeWindow[];
}

const printedDays = new WeakMap<readonly Stretch[], Printed>(); // most days of a team are one of five scheduled ones

function print(stretches: readonly Stretch[]): Printed {
  let day = printedDays.get(stretches);
  if (day === undefined) {
    const windows = stretches.map(({ start, end }) => ({ start: printed(start), end: printed(end) }));
    day = { hours: hoursOfMinutes(totalMinutes(stretches)), windows };
    printedDays.set(stretches, day);
  }
  return day;
}

/** The stretches left of a day after applying the rows. */
function resolve(
  date: IsoDate,
  person: WeekSources,
  base: readonly Stretch[],
  rules: readonly AvailabilityRule[],
): readonly Stretch[] {
  const extras = rules.filter((rule) => rule.kind === "extra");
  const nos = rules.filter((rule) => rule.kind === "unavailable");
  let held = base;
  if (extras.length > 0) {
    held = subtract(withExtras(base, typicalStretches(person, date), extras), breaksOf(scheduledDay(person, date)));
  }
  if (nos.length === 0) return held;
  return subtract(
    held,
    nos.map((rule) => windowOn(rule, held) ?? { start: 0, end: DAY_MINUTES }),
  );
}

function dayWith(date: IsoDate, person: WeekSources, applying: readonly AvailabilityEntry[], zone: string): AvailabilityDay {
  const base = stretchesOf(scheduledDay(person, date));
  const result = applying.length === 0 ? base : resolve(date, person, base, applying);
  const { hours, windows } = print(result);
  const first = windows[0];
  const last = windows.at(-1);
  const worked = first && last ? windowIn(zone, date, first.start, last.end) : null;
  return {
    date,
    hours,
    base_hours: print(base).hours,
    windows,
    change: changeOf(base, result),
    deviates: applying.length > 0,
    entry_ids: applying.map((entry) => entry.id),
    starts_at: worked?.start ?? null,
    ends_at: worked?.end ?? null,
  };
}

/**
 * Resolves a person's days from `from` through `to` in `zone`, each with every applying row (people chapter §10, "Resolving a day").
 * The order: take the week's stretches; add each extra (a whole-day extra adds the day's own stretches, on an unworked day those
 * of a typical one); cut the scheduled day's breaks again; remove each unavailable row, so a no beats a yes.
 * `change` compares stretches, so the same hours at other times are a change. Holidays and leave are ignored. `starts_at` and
 * `ends_at` carry the zone's offset; the last minute of a day is 23:59.
 */
export function availabilityDays(
  from: IsoDate,
  to: IsoDate,
  person: WeekSources,
  entries: readonly AvailabilityEntry[],
  zone: string,
): AvailabilityDay[] {
  const applying = new Map<IsoDate, AvailabilityEntry[]>();
  for (const entry of entries) {
    for (const date of occurrences(entry, from, to)) {
      const rows = applying.get(date);
      if (rows) rows.push(entry);
      else applying.set(date, [entry]);
    }
  }
  return eachDay(from, to).map((date) => dayWith(date, person, applying.get(date) ?? [], zone));
}

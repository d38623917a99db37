import { DAY_MINUTES, eachDay, type IsoDate, minutesOfTime } from "../../../core/calendar/calendar.ts";
import { covers } from "./period.ts";
import { scheduledDay, type WeekSources } from "./schedule.ts";
import type { Span } from "./span-cost.ts";
import { type Stretch, subtract, totalMinutes } from "./stretches.ts";
import { stretchesOf } from "./week.ts";

/** A person's scheduled minutes on a day, and how many of them were leave or holiday. */
export interface Absence {
  readonly scheduled_minutes: number;
  readonly leave_minutes: number;
}

/** The part of a date that a span covers; the whole day between its first and last date. */
function taken(span: Span, date: IsoDate): Stretch {
  return {
    start: date === span.start_date && span.start_time !== null ? minutesOfTime(span.start_time) : 0,
    end: date === span.end_date && span.end_time !== null ? minutesOfTime(span.end_time) : DAY_MINUTES,
  };
}

/**
 * The scheduled minutes of a date that were holiday or approved leave, never more than scheduled (people chapter §6, last paragraph). An
 * agreed number of hours is ignored, because it has no time of day.
 */
export function absenceOn(
  date: IsoDate,
  person: WeekSources,
  holidays: ReadonlySet<IsoDate>,
  approved: readonly Span[],
): Absence {
  const stretches = stretchesOf(scheduledDay(person, date));
  const scheduled = totalMinutes(stretches);
  if (holidays.has(date)) return { scheduled_minutes: scheduled, leave_minutes: scheduled };
  const cuts = approved.filter((span) => covers(span, date)).map((span) => taken(span, date));
  return { scheduled_minutes: scheduled, leave_minutes: scheduled - totalMinutes(subtract(stretches, cuts)) };
}

/**
 * Whether every scheduled minute from `from` through `to` was holiday or approved leave, so no timesheet is expected (people chapter §6;
 * work chapter, Monday reminder). Also true when nothing was scheduled.
 */
export function fullyAbsent(
  from: IsoDate,
  to: IsoDate,
  person: WeekSources,
  holidays: ReadonlySet<IsoDate>,
  approved: readonly Span[],
): boolean {
  return eachDay(from, to).every((date) => {
    const { scheduled_minutes, leave_minutes } = absenceOn(date, person, holidays, approved);
    return leave_minutes === scheduled_minutes;
  });
}

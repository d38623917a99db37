import { dayNumber, type IsoDate } from "../../../core/calendar/dates.ts";
import { dateIn, timeIn } from "../../../core/calendar/zones.ts";
import { QUARTERS, type Schedule } from "./schedule.ts";

/** An hour of an organisation's day. */
export interface LocalHour {
  date: IsoDate;
  hour: number;
}

const HOUR = 3_600_000;

const localHour = (zone: string, now: number): LocalHour => ({
  date: dateIn(zone, now),
  hour: Number(timeIn(zone, now).slice(0, 2)),
});
const indexOf = ({ date, hour }: LocalHour): number => dayNumber(date) * 24 + hour;

/**
 * The local hours that start with an hourly run: usually the current one. When clocks go forward, the next run also covers the skipped
 * hour; when they go back, the repeated hour runs only the first time.
 * @param now milliseconds since the epoch
 */
export function hoursBegun(zone: string, now: number): LocalHour[] {
  const current = localHour(zone, now);
  const before = localHour(zone, now - HOUR);
  const begun = indexOf(current) - indexOf(before);
  // The skipped hour is on the same day as the one after it, or is midnight.
  return Array.from({ length: Math.max(0, begun) }, (_, n) => ({ ...current, hour: current.hour - (begun - 1 - n) })).filter(
    ({ hour }) => hour >= 0,
  );
}

/** Whether a schedule is due in an hour of the organisation; quarterly ones only in January, April, July and October. */
export function isDue({ cadence, day_of_month, hour }: Schedule, at: LocalHour): boolean {
  if (cadence === "off" || hour !== at.hour || day_of_month !== Number(at.date.slice(8, 10))) return false;
  return cadence === "monthly" || QUARTERS.has(Number(at.date.slice(5, 7)));
}

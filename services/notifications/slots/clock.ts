import { addDays, clockChanges, dateIn, type IsoDate, minutesOfTime } from "../../../core/calendar/calendar.ts";

/** A zone's clock in the days around an instant: parallel lists in time order, passed to SQL as arrays. */
export interface Clock {
  /** The instant at which an offset begins; the first begins at minus infinity. */
  readonly from_at: readonly string[];
  /** The local time from which the offset certainly applies: a skipped or repeated time still has the previous one (RFC 5545 §3.3.5). */
  readonly from_local: readonly string[];
  /** Minutes ahead of UTC. */
  readonly shift: readonly number[];
}

/** Days ahead that a slot can be: a week plus the night that quiet hours add, with a margin for differing clocks. */
const AHEAD = 10;
const SINCE_EVER = "-infinity";
const MOST_KNOWN = 1000;

const known = new Map<string, Clock>();

const minutesOf = (offset: string): number => (offset.startsWith("-") ? -1 : 1) * minutesOfTime(offset.slice(1, 6));
/** A local time plus some minutes, `YYYY-MM-DDTHH:MM:SS`. */
const later = (local: string, minutes: number): string =>
  new Date(Date.parse(`${local}Z`) + minutes * 60_000).toISOString().slice(0, 19);

function clockOf(zone: string, today: IsoDate): Clock {
  // The first change set the offset of the first day.
  const changes = clockChanges(zone, addDays(today, -1), addDays(today, AHEAD));
  const sinceEver = (times: string[]) => times.with(0, SINCE_EVER);
  return {
    from_at: sinceEver(changes.map(({ local, before }) => `${later(local, -minutesOf(before))}Z`)),
    from_local: sinceEver(
      changes.map(({ local, before, after }) => later(local, Math.max(minutesOf(after) - minutesOf(before), 0))),
    ),
    shift: changes.map(({ after }) => minutesOf(after)),
  };
}

/**
 * The clock of a zone around an instant.
 * @param zone a zone of the IANA database
 * @param now ISO 8601
 * @throws RangeError on an unknown zone
 */
export function clockAround(zone: string, now: string): Clock {
  const today = dateIn(zone, now);
  const key = `${zone} ${today}`;
  let clock = known.get(key);
  if (!clock) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(key, (clock = clockOf(zone, today)));
  }
  return clock;
}

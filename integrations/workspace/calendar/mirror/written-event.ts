import { createHash } from "node:crypto";
import { dayBounds } from "../../../../core/calendar/calendar.ts";
import type { MirroredEvent } from "../../../../core/calendar/mirrored-event.ts";
import type { GoogleEvent } from "../../../../mixins/google/apis.ts";

/** An event as sent to Google, without its id. */
export type WrittenEvent = Pick<
  GoogleEvent,
  "summary" | "description" | "start" | "end" | "transparency" | "recurrence" | "status"
>;

/** Formats an instant like `20290911T083000Z`. */
const basic = (instant: number): string => `${new Date(instant).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;

/**
 * The weekly recurrence rule of a series. `UNTIL` is inclusive: a date for all-day events, else the last second of the last day in UTC (RFC
 * 5545 §3.3.10: the type of `UNTIL` follows that of the start).
 */
function recurrenceOf({ weekly, time, zone }: MirroredEvent): string[] | undefined {
  if (weekly === null) return undefined;
  const { interval_weeks, until } = weekly;
  const end = until && (time.all_day ? until.replaceAll("-", "") : basic(Date.parse(dayBounds(until, zone).end) - 1000));
  const parts = ["FREQ=WEEKLY", ...(interval_weeks > 1 ? [`INTERVAL=${interval_weeks}`] : []), ...(end ? [`UNTIL=${end}`] : [])];
  return [`RRULE:${parts.join(";")}`];
}

/**
 * A record's event in Google's format (workspace §2.3, §2.7): all-day events have an exclusive end; timed ones have a zone, in which a
 * series recurs.
 */
export function writtenEvent(event: MirroredEvent): WrittenEvent {
  const { title, description, time, zone, is_free } = event;
  const at = (value: string) => (time.all_day ? { date: value } : { dateTime: value, timeZone: zone });
  const recurrence = recurrenceOf(event);
  return {
    status: "confirmed",
    summary: title,
    ...(description !== null && { description }),
    start: at(time.start),
    end: at(time.end),
    transparency: is_free ? "transparent" : "opaque",
    ...(recurrence && { recurrence }),
  };
}

/** Digest of an event's content, to recognise a retry of the same write. */
export const contentHash = (event: WrittenEvent): Buffer => createHash("sha256").update(JSON.stringify(event)).digest();

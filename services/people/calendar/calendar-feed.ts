import { addDays } from "../../../core/calendar/calendar.ts";
import type { EventTime, FeedEvent } from "../../../core/calendar/calendar-text.ts";
import type { LeaveType } from "../leave-types.ts";
import type { WeekSources } from "../working-time/schedule.ts";
import type { ResolvedWindow, Span } from "../working-time/span-cost.ts";
import { leaveInstants } from "../working-time/team-layout.ts";

/** An approved request as the feed and the calendar mirror see it. */
export interface FeedRequest extends Span, ResolvedWindow {
  readonly id: string;
  readonly user_id: string;
  readonly user_name: string;
  readonly note: string | null;
}

function timeOf(timed: boolean, request: FeedRequest, person: WeekSources, zone: string): EventTime {
  const { starts_at, ends_at } = leaveInstants(request, person, zone);
  // An agreed number of hours can sit on a window outside the day's work, or a clock change can swallow it; events need a length.
  if (timed && starts_at !== null && ends_at !== null && Date.parse(starts_at) < Date.parse(ends_at))
    return { all_day: false, start: starts_at, end: ends_at };
  return { all_day: true, start: request.start_date, end: addDays(request.end_date, 1) };
}

/**
 * The time of a feed event: timed for a single day that has a window or a `timed` type, else whole days (people chapter §16). A day
 * without work has no times and stays whole.
 */
export function feedTime(
  request: FeedRequest,
  type: Pick<LeaveType, "calendar_display">,
  person: WeekSources,
  zone: string,
): EventTime {
  const windowed = request.start_time !== null || request.end_time !== null;
  return timeOf(windowed || type.calendar_display === "timed", request, person, zone);
}

/**
 * The time of the mirrored event of approved leave (people chapter §13, "Calendar mirror"): timed for a single day of a `timed` type;
 * whole days for an `all_day` type or several days, even with a window.
 */
export function mirrorTime(
  request: FeedRequest,
  type: Pick<LeaveType, "calendar_display">,
  person: WeekSources,
  zone: string,
): EventTime {
  return timeOf(type.calendar_display === "timed", request, person, zone);
}

/** A label in a language, else in `fallback`, else in any language, else the key. */
export function labelIn(type: Pick<LeaveType, "key" | "label_i18n">, locale: string, fallback: string): string {
  const labels = type.label_i18n;
  return labels[locale] || labels[fallback] || Object.values(labels).find((label) => label !== "") || type.key;
}

/** The owner of a feed, with language and zone. */
export interface FeedReader {
  readonly user_id: string;
  readonly locale: string;
  readonly fallback_locale: string;
  readonly zone: string;
}

/**
 * The event of one approved request in a person's feed (people chapter §16, "Feed"). Their own shows the type's label in their language
 * and the note; another person's shows name and time only.
 */
export function feedEvent(
  request: FeedRequest,
  type: Pick<LeaveType, "key" | "label_i18n" | "calendar_display">,
  person: WeekSources,
  reader: FeedReader,
): FeedEvent {
  const own = request.user_id === reader.user_id;
  return {
    uid: `leave-request-${request.id}`,
    summary: own ? labelIn(type, reader.locale, reader.fallback_locale) : request.user_name,
    description: own ? request.note : null,
    time: feedTime(request, type, person, reader.zone),
  };
}

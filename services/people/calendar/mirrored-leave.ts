import { addDays, timeOfMinutes, windowIn } from "../../../core/calendar/calendar.ts";
import type { EventTime } from "../../../core/calendar/calendar-text.ts";
import { type MirroredEvent, namedRecordKey } from "../../../core/calendar/mirrored-event.ts";
import type { AvailabilityKind, AvailabilityRule } from "../availability/availability.ts";
import type { LeaveType } from "../leave-types.ts";
import { scheduledDay, type WeekSources } from "../working-time/schedule.ts";
import { stretchesOf } from "../working-time/week.ts";
import { type FeedRequest, labelIn, mirrorTime } from "./calendar-feed.ts";

/** The language and zone of a calendar's owner. */
export interface MirrorReader {
  readonly locale: string;
  readonly fallback_locale: string;
  readonly zone: string;
}

type Leave = Omit<FeedRequest, "user_name" | "note">;

/**
 * The event of approved leave in the person's own calendar: the type's label, busy, without the note (people chapter §13, "Calendar
 * mirror"). That calendar may be shared with colleagues, so the event reveals no more than the leave calendar does.
 */
export const mirroredLeave = (
  leave: Leave,
  type: Pick<LeaveType, "id" | "key" | "label_i18n" | "calendar_display">,
  person: WeekSources,
  { locale, fallback_locale, zone }: MirrorReader,
): MirroredEvent => ({
  source_id: leave.id,
  user_id: leave.user_id,
  title: labelIn(type, locale, fallback_locale),
  names: [namedRecordKey("leave_type", type.id)],
  description: null,
  time: mirrorTime({ ...leave, user_name: "", note: null }, type, person, zone),
  zone,
  is_free: false,
  weekly: null,
});

const TITLES: Readonly<Record<string, Record<AvailabilityKind, string>>> = {
  nl: { extra: "Extra werktijd", unavailable: "Niet beschikbaar" },
  en: { extra: "Extra working time", unavailable: "Not available" },
};

const MIDNIGHT = { first: "00:00", last: "24:00" } as const;

/**
 * The time of an exception: whole days without a window, else its window on that date. An open bound is the edge of the person's
 * scheduled day, or of the calendar day if nothing is scheduled.
 */
function timeOf(rule: AvailabilityRule, person: WeekSources, zone: string): EventTime {
  const whole: EventTime = { all_day: true, start: rule.date, end: addDays(rule.date, 1) };
  if (rule.start_time === null && rule.end_time === null) return whole;
  const scheduled = stretchesOf(scheduledDay(person, rule.date));
  const [first, last] = [scheduled[0], scheduled.at(-1)];
  const from = rule.start_time ?? (first ? timeOfMinutes(first.start) : MIDNIGHT.first);
  const to = rule.end_time ?? (last ? timeOfMinutes(last.end) : MIDNIGHT.last);
  const { start, end } = windowIn(zone, rule.date, from, to);
  // The clock may skip a window, or it may end before the workday starts. Such a window covers no time, so show the whole day instead.
  return Date.parse(start) < Date.parse(end) ? { all_day: false, start, end } : whole;
}

/**
 * The event of an exception to the working week: `unavailable` is busy, `extra` is free, repeated like the exception (people chapter §13).
 */
export const mirroredAvailability = (
  rule: AvailabilityRule & { readonly id: string; readonly user_id: string },
  person: WeekSources,
  { locale, fallback_locale, zone }: MirrorReader,
): MirroredEvent => ({
  source_id: rule.id,
  user_id: rule.user_id,
  title: (TITLES[locale] ?? TITLES[fallback_locale] ?? (TITLES["en"] as Record<AvailabilityKind, string>))[rule.kind],
  names: [],
  description: null,
  time: timeOf(rule, person, zone),
  zone,
  is_free: rule.kind === "extra",
  weekly: rule.repeat_weeks === null ? null : { interval_weeks: rule.repeat_weeks, until: rule.repeat_until },
});

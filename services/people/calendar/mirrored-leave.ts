import { addDays, timeOfMinutes, windowIn } from "../../../core/calendar/calendar.ts";
import type { EventTime } from "../../../core/calendar/calendar-text.ts";
import type { MirroredEvent } from "../../../core/calendar/mirrored-event.ts";
import type { AvailabilityKind, AvailabilityRule } from "../availability/availability.ts";
import type { LeaveType } from "../types/leave-types.ts";
import { scheduledDay, type WeekSources } from "../working-time/schedule.ts";
import { stretchesOf } from "../working-time/week.ts";
import { type FeedRequest, labelIn, mirrorTime } from "./calendar-feed.ts";

/** In whose language and zone a calendar is written. */
export interface MirrorReader {
  readonly locale: string;
  readonly fallback_locale: string;
  readonly zone: string;
}

type Leave = Omit<FeedRequest, "user_name" | "note">;

/**
 * The event of approved leave in the calendar of who takes it: the type's label, busy, without the note (people chapter §13, "Calendar
 * mirror"). A calendar may be shared with colleagues, so that it tells no more than the leave calendar tells them.
 */
export const mirroredLeave = (
  leave: Leave,
  type: Pick<LeaveType, "key" | "label_i18n" | "calendar_display">,
  person: WeekSources,
  { locale, fallback_locale, zone }: MirrorReader,
): MirroredEvent => ({
  source_id: leave.id,
  user_id: leave.user_id,
  title: labelIn(type, locale, fallback_locale),
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
 * When an exception is: whole days without a window, else the window of its date. A bound that is left open is the edge of what the person's
 * week holds on that date, or of the day where it holds nothing.
 */
function timeOf(rule: AvailabilityRule, person: WeekSources, zone: string): EventTime {
  const whole: EventTime = { all_day: true, start: rule.date, end: addDays(rule.date, 1) };
  if (rule.start_time === null && rule.end_time === null) return whole;
  const scheduled = stretchesOf(scheduledDay(person, rule.date));
  const [first, last] = [scheduled[0], scheduled.at(-1)];
  const from = rule.start_time ?? (first ? timeOfMinutes(first.start) : MIDNIGHT.first);
  const to = rule.end_time ?? (last ? timeOfMinutes(last.end) : MIDNIGHT.last);
  const { start, end } = windowIn(zone, rule.date, from, to);
  // A window that the clock skips, or that ends before the week's day begins, covers no time: the day as a whole says more than nothing.
  return Date.parse(start) < Date.parse(end) ? { all_day: false, start, end } : whole;
}

/** The event of an exception to a working week: `unavailable` busy, `extra` free, repeated as the exception is (people chapter §13). */
export const mirroredAvailability = (
  rule: AvailabilityRule & { readonly id: string; readonly user_id: string },
  person: WeekSources,
  { locale, fallback_locale, zone }: MirrorReader,
): MirroredEvent => ({
  source_id: rule.id,
  user_id: rule.user_id,
  title: (TITLES[locale] ?? TITLES[fallback_locale] ?? (TITLES["en"] as Record<AvailabilityKind, string>))[rule.kind],
  description: null,
  time: timeOf(rule, person, zone),
  zone,
  is_free: rule.kind === "extra",
  weekly: rule.repeat_weeks === null ? null : { interval_weeks: rule.repeat_weeks, until: rule.repeat_until },
});

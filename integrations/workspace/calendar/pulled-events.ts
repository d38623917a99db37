import {
  addDays,
  CALENDAR,
  dateIn,
  type IsoDate,
  isDate,
  isZone,
  utcInstant,
  wallInstant,
} from "../../../core/calendar/calendar.ts";
import { storable } from "../../../core/values/stored-text.ts";
import type { GoogleEvent, GoogleEventTime } from "../../../mixins/google/apis.ts";
import { mirrorKeyOf } from "./mirror/mirror-key.ts";

/** Days ahead beyond which instances of a series are dropped, because an endless series would never end (workspace §2.3). */
export const HORIZON_DAYS = 365;

/** A cached event. */
export interface CachedEvent {
  event_id: string;
  recurring_event_id: string | null;
  mirror_key: string | null;
  status: "confirmed" | "tentative" | "cancelled";
  title: string;
  html_link: string | null;
  /** Whether its owner is free during it. */
  is_free: boolean;
  starts_at: string | null;
  ends_at: string | null;
  start_date: IsoDate | null;
  /** Exclusive, as at Google. */
  end_date: IsoDate | null;
}

/** The effect of a page of events on the cache; each id is in one list only. */
export interface PulledEvents {
  kept: CachedEvent[];
  /** Ids of rows to delete: tombstones, instances moved beyond the horizon, and entries that are left out. */
  gone: string[];
  /** Number of events without a readable time; they are dropped. */
  unreadable: number;
}

type Times = Pick<CachedEvent, "starts_at" | "ends_at" | "start_date" | "end_date">;

/** The instants that are a supported day in every zone. */
const [FIRST, LAST] = ["0001-01-02T00:00:00Z", "9999-12-30T23:59:59Z"].map(Date.parse) as [number, number];

/** Parses the instant of an event, in its time zone if it has no offset; null if it is invalid or beyond the supported days. */
function instantOf({ dateTime, timeZone }: GoogleEventTime): string | null {
  if (!dateTime) return null;
  try {
    const hasOffset = /(?:Z|[+-]\d\d:?\d\d)$/i.test(dateTime);
    const instant = !hasOffset && isZone(timeZone) ? wallInstant(timeZone, dateTime) : utcInstant(dateTime);
    const at = Date.parse(instant);
    return at >= FIRST && at <= LAST ? instant : null;
  } catch {
    return null;
  }
}

/** The times of an event; null if they cannot be read. */
function timesOf({ start, end }: GoogleEvent): Times | null {
  if (isDate(start?.date)) {
    // Its exclusive end is no supported day.
    if (start.date === CALENDAR.last) return null;
    // An all-day event without an end after its start lasts one day.
    const end_date = isDate(end?.date) && end.date > start.date ? end.date : addDays(start.date, 1);
    return { starts_at: null, ends_at: null, start_date: start.date, end_date };
  }
  const [starts_at, ends_at] = [instantOf(start ?? {}), instantOf(end ?? {})];
  if (starts_at === null) return null;
  const isForward = ends_at !== null && Date.parse(ends_at) > Date.parse(starts_at);
  return { starts_at, ends_at: isForward ? ends_at : starts_at, start_date: null, end_date: null };
}

/** Kinds of entries that are no appointment (workspace §2.3). */
const NO_APPOINTMENT = new Set(["birthday", "workingLocation"]);

/** Whether the calendar's owner declined the invitation, or the entry is no appointment. */
const isLeftOut = ({ attendees, eventType }: GoogleEvent): boolean =>
  NO_APPOINTMENT.has(eventType ?? "") ||
  (attendees ?? []).some(({ self, responseStatus }) => self && responseStatus === "declined");

/** Whether an instance starts beyond the horizon. @param zone the organisation's, which determines today */
function isBeyondHorizon({ starts_at, start_date }: Times, now: number, zone: string): boolean {
  if (start_date !== null) return start_date > addDays(dateIn(zone, now), HORIZON_DAYS);
  return starts_at !== null && Date.parse(starts_at) > now + HORIZON_DAYS * 86_400_000;
}

/**
 * Parses a page of events (workspace §2.3). `cancelled` without a start is a tombstone; with a start it is kept as a cancelled event.
 * Instances of a series beyond the horizon are dropped, and so are declined invitations and entries that are no appointment. For a duplicate
 * id the last one counts.
 * @param now milliseconds since 1970
 */
export function readEvents(items: readonly GoogleEvent[], now: number, zone: string): PulledEvents {
  const found = new Map<string, CachedEvent | "gone" | "unreadable">();
  for (const event of items) {
    const { id, recurringEventId = null, status, summary, htmlLink } = event;
    if (!id) continue;
    if ((status === "cancelled" && !event.start) || isLeftOut(event)) {
      found.set(id, "gone");
      continue;
    }
    const times = timesOf(event);
    if (!times) found.set(id, "unreadable");
    else if (recurringEventId !== null && isBeyondHorizon(times, now, zone)) found.set(id, "gone");
    else
      found.set(id, {
        event_id: id,
        recurring_event_id: recurringEventId,
        mirror_key: mirrorKeyOf(id) ?? mirrorKeyOf(recurringEventId),
        status: status === "cancelled" || status === "tentative" ? status : "confirmed",
        title: storable(summary ?? ""),
        html_link: htmlLink ? storable(htmlLink) : null,
        is_free: event.transparency === "transparent",
        ...times,
      });
  }
  const all = [...found];
  return {
    kept: all.flatMap(([, read]) => (typeof read === "object" ? [read] : [])),
    gone: all.flatMap(([id, read]) => (read === "gone" ? [id] : [])),
    unreadable: all.filter(([, read]) => read === "unreadable").length,
  };
}

import { addDays, dateIn, type IsoDate, timeIn, utcInstant } from "../../../core/calendar/calendar.ts";
import type { Static } from "../../../core/schema/schema.ts";
import type { CalendarFeedItem } from "./calendar-schemas.ts";
import type { CachedEvent } from "./pulled-events.ts";

export type FeedItem = Static<typeof CalendarFeedItem>;
export type FeedRow = Omit<CachedEvent, "mirror_key" | "recurring_event_id">;

/** The last day of a timed event; one that ends exactly at midnight ends on the day before. */
function lastDay(startsAt: string, endsAt: string, zone: string): IsoDate {
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)];
  return dateIn(zone, Math.max(start, end - 1));
}

/** A cached event in the feed (workspace §2.3). @param zone the organisation's, for days and clock times */
export function feedItem(row: FeedRow, zone: string): FeedItem {
  const { event_id: id, status, title, html_link, is_free: free, starts_at, ends_at, start_date, end_date } = row;
  const common = { id, html_link, free, tentative: status === "tentative", cancelled: status === "cancelled" };
  if (starts_at === null || ends_at === null) {
    const [start, end] = [start_date as IsoDate, addDays(end_date as IsoDate, -1)];
    return { ...common, title, start, end, all_day: true, starts_at: null, ends_at: null };
  }
  return {
    ...common,
    title: `${timeIn(zone, starts_at)} ${title}`.trimEnd(),
    start: dateIn(zone, starts_at),
    end: lastDay(starts_at, ends_at, zone),
    all_day: false,
    starts_at: utcInstant(starts_at),
    ends_at: utcInstant(ends_at),
  };
}

const alphabetical = new Intl.Collator("en");

/** Sorts the feed by first day, then title. All-day events follow the timed ones of their day, because digits sort before letters. */
export const byStartAndTitle = (one: FeedItem, other: FeedItem): number =>
  Number(one.start > other.start) - Number(one.start < other.start) ||
  alphabetical.compare(one.title, other.title) ||
  (one.id < other.id ? -1 : 1);

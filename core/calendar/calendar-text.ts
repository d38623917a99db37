import { addDays, type IsoDate } from "./dates.ts";
import { minutesOfTime } from "./times.ts";
import { type ClockChange, clockChanges, utcInstant } from "./zones.ts";

/** Days before and after today in a feed (people chapter §16, "Feed"). */
const FEED_DAYS = { before: 34, after: 365 } as const;

/** The dates of a feed, both inclusive. */
export function feedWindow(today: IsoDate): { from: IsoDate; to: IsoDate } {
  return { from: addDays(today, -FEED_DAYS.before), to: addDays(today, FEED_DAYS.after) };
}

/**
 * The time of a calendar event. Timed: instants, as wall-clock time in the organisation's zone or, ending with `Z`, in UTC. All-day: dates
 * with an exclusive end (RFC 5545 §3.6.1).
 */
export type EventTime =
  | { readonly all_day: true; readonly start: IsoDate; readonly end: IsoDate }
  | { readonly all_day: false; readonly start: string; readonly end: string };

/** An event of a feed. Its `uid` stays the same for the lifetime of its subject. */
export interface FeedEvent {
  readonly uid: string;
  readonly summary: string;
  readonly description: string | null;
  readonly time: EventTime;
}

/** An event with the instant of its row's last write. */
export interface StampedEvent extends FeedEvent {
  readonly stamp: string;
}

/** Properties of a calendar; its events lie within its dates. */
export interface CalendarFrame {
  readonly name: string;
  /** Its source, for the product identifier (RFC 5545 §3.7.3). */
  readonly product: string;
  readonly zone: string;
  readonly from: IsoDate;
  readonly to: IsoDate;
}

const LINE_OCTETS = 75;
const BREAKS = /\r\n|[\r\n\u2028\u2029]/g;

/** Text as a TEXT value: escapes backslash, semicolon, comma and line break, and removes other control characters (RFC 5545 §3.3.11). */
export function escapedLine(text: string): string {
  return text
    .replace(/[\\;,]/g, "\\$&")
    .replace(BREAKS, "\\n")
    .replace(/\p{Cc}/gu, "");
}

/** A content line in pieces of at most 75 octets, without splitting a character (RFC 5545 §3.1). */
export function foldedLine(line: string): string {
  let octets = 0;
  let text = "";
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > LINE_OCTETS) {
      text += "\r\n ";
      octets = 1;
    }
    text += character;
    octets += size;
  }
  return text;
}

/** `2029-09-11T08:30:00…` as `20290911T083000`. */
const local = (time: string): string => time.slice(0, 19).replaceAll(/[-:]/g, "");

/** Minutes east of UTC, from `±HH:MM`. */
function minutesOfOffset(offset: string): number {
  return Number(`${offset[0]}1`) * minutesOfTime(offset.slice(1, 6));
}

/** One observance per clock change (RFC 5545 §3.6.5); a calendar must define each `TZID` that it uses. */
function observance({ local: onset, before, after }: ClockChange): string[] {
  const kind = minutesOfOffset(after) > minutesOfOffset(before) ? "DAYLIGHT" : "STANDARD";
  const offset = (text: string) => text.replaceAll(":", "");
  return [
    `BEGIN:${kind}`,
    `DTSTART:${local(onset)}`,
    `TZOFFSETFROM:${offset(before)}`,
    `TZOFFSETTO:${offset(after)}`,
    `END:${kind}`,
  ];
}

function eventLines({ uid, summary, description, time, stamp }: StampedEvent, zone: string): string[] {
  const bound = (name: string, value: string): string => {
    if (time.all_day) return `${name};VALUE=DATE:${value.replaceAll("-", "")}`;
    return value.endsWith("Z") ? `${name}:${local(value)}Z` : `${name};TZID=${zone}:${local(value)}`;
  };
  return [
    "BEGIN:VEVENT",
    `UID:${uid}`,
    `DTSTAMP:${local(utcInstant(stamp))}Z`,
    bound("DTSTART", time.start),
    bound("DTEND", time.end),
    `SUMMARY:${escapedLine(summary)}`,
    ...(description === null ? [] : [`DESCRIPTION:${escapedLine(description)}`]),
    "END:VEVENT",
  ];
}

/**
 * A calendar as `text/calendar` (RFC 5545). Lines end with CRLF and are folded. Timed events use the zone, which the calendar defines by
 * its clock changes; whole days end exclusively.
 */
export function calendarText(events: readonly StampedEvent[], { name, product, zone, from, to }: CalendarFrame): string {
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    `PRODID:-//Kantoor//${product}//EN`,
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    `NAME:${escapedLine(name)}`,
    `X-WR-CALNAME:${escapedLine(name)}`,
    "BEGIN:VTIMEZONE",
    `TZID:${zone}`,
    ...clockChanges(zone, from, to).flatMap(observance),
    "END:VTIMEZONE",
    ...events.flatMap((event) => eventLines(event, zone)),
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${foldedLine(line)}\r\n`).join("");
}

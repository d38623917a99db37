import { dateIn, midnight } from "../../../core/calendar/calendar.ts";
import { dayInWords, LANGUAGE_TAGS } from "../../../core/calendar/in-words.ts";
import type { Locale } from "../../../core/config/defaults.ts";
import { type Html, html } from "../../../core/pages/html.ts";

/** An instant on a zone's clock, with the zone's name: `31 jan 2026, 14:05 CET`. */
export function moment(locale: Locale, zone: string, instant: string): Html {
  const text = new Intl.DateTimeFormat(LANGUAGE_TAGS[locale], {
    timeZone: zone,
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  }).format(new Date(instant));
  return html`<time datetime="${instant}">${text}</time>`;
}

/** The last valid day in words, if the end is midnight in the zone; null if it is during a day. */
export function lastDay(locale: Locale, zone: string, end: string): string | null {
  const at = Date.parse(end);
  const day = dateIn(zone, at - 1);
  const isWhole = dateIn(zone, at) !== day && Date.parse(midnight(dateIn(zone, at), zone)) === at;
  return isWhole ? dayInWords(locale, day) : null;
}

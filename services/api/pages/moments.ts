import { dateIn, midnight } from "../../../core/calendar/calendar.ts";
import { dayInWords, LANGUAGE_TAGS } from "../../../core/calendar/in-words.ts";
import type { Locale } from "../../../core/config/defaults.ts";
import { type Html, html } from "../../../core/pages/html.ts";

/** An instant as the clock of a zone shows it, with the name of that time: `31 jan 2026, 14:05 CET`. */
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

/**
 * The last day of something that ends at an instant, in words, where it ends with that day in the zone; null where it ends in the middle of a
 * day.
 */
export function lastDay(locale: Locale, zone: string, end: string): string | null {
  const at = Date.parse(end);
  const day = dateIn(zone, at - 1);
  const isWhole = dateIn(zone, at) !== day && Date.parse(midnight(dateIn(zone, at), zone)) === at;
  return isWhole ? dayInWords(locale, day) : null;
}

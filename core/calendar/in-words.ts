import type { Locale } from "../config/defaults.ts";
import type { IsoDate } from "./dates.ts";

/** British for English: it puts the day before the month and has a 24-hour clock. */
export const LANGUAGE_TAGS: Readonly<Record<Locale, string>> = { nl: "nl-NL", en: "en-GB" };

const LONG = Object.fromEntries(
  Object.entries(LANGUAGE_TAGS).map(([locale, tag]) => [
    locale,
    new Intl.DateTimeFormat(tag, { timeZone: "UTC", dateStyle: "long" }),
  ]),
) as Readonly<Record<Locale, Intl.DateTimeFormat>>;

/** A date in words: `31 januari 2026`, `31 January 2026`. */
export const dayInWords = (locale: Locale, day: IsoDate): string => LONG[locale].format(new Date(`${day}T00:00:00Z`));

import { endOf, startOf } from "../../../core/calendar/dates.ts";
import { dayInWords, LANGUAGE_TAGS } from "../../../core/calendar/in-words.ts";
import type { Locale } from "../../../core/config/defaults.ts";
import type { ReportAudience, ReportSpan } from "../../../core/declare/report-sections.ts";
import { wordsOf } from "./words.ts";

const QUARTER: Readonly<Record<Locale, string>> = { nl: "kwartaal", en: "quarter" };

const monthInWords = (locale: Locale, day: string): string =>
  new Intl.DateTimeFormat(LANGUAGE_TAGS[locale], { timeZone: "UTC", month: "long", year: "numeric" }).format(
    new Date(`${day}T00:00:00Z`),
  );

/** A span in words: the name of a whole month or quarter, else its first and last day. */
export function spanInWords(locale: Locale, { start, end }: ReportSpan): string {
  const isWhole = (unit: "month" | "quarter") => startOf(unit, start) === start && endOf(unit, start) === end;
  if (isWhole("month")) return monthInWords(locale, start);
  if (isWhole("quarter")) return `${QUARTER[locale]} ${Math.ceil(Number(start.slice(5, 7)) / 3)} ${start.slice(0, 4)}`;
  return `${dayInWords(locale, start)} – ${dayInWords(locale, end)}`;
}

/** The title of a report: `Rapportage oktober 2026`, `Internal report quarter 3 2026`. */
export const reportTitle = (locale: Locale, audience: ReportAudience, span: ReportSpan): string =>
  `${wordsOf(locale).title[audience]} ${spanInWords(locale, span)}`;

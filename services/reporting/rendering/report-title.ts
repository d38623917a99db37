import { endOf, startOf } from "../../../core/calendar/dates.ts";
import { dayInWords, LANGUAGE_TAGS } from "../../../core/calendar/in-words.ts";
import type { Locale } from "../../../core/config/defaults.ts";
import type { ReportAudience, ReportSpan } from "../../../core/declare/report-sections.ts";
import { reportWords } from "./words.ts";

const QUARTERS: Readonly<Record<Locale, readonly string[]>> = {
  nl: ["eerste kwartaal", "tweede kwartaal", "derde kwartaal", "vierde kwartaal"],
  en: ["Q1", "Q2", "Q3", "Q4"],
};

const monthInWords = (locale: Locale, day: string): string =>
  new Intl.DateTimeFormat(LANGUAGE_TAGS[locale], { timeZone: "UTC", month: "long", year: "numeric" }).format(
    new Date(`${day}T00:00:00Z`),
  );

/** The first and the last day of a span in words; one date for a span of one day (workspace-reporting §1.6). */
export const daysInWords = (locale: Locale, { start, end }: ReportSpan): string =>
  start === end ? dayInWords(locale, start) : `${dayInWords(locale, start)} – ${dayInWords(locale, end)}`;

/** A span in words: the name of a whole month or quarter, else its days. */
export function spanInWords(locale: Locale, { start, end }: ReportSpan): string {
  const isWhole = (unit: "month" | "quarter") => startOf(unit, start) === start && endOf(unit, start) === end;
  if (isWhole("month")) return monthInWords(locale, start);
  if (!isWhole("quarter")) return daysInWords(locale, { start, end });
  return `${QUARTERS[locale][Math.ceil(Number(start.slice(5, 7)) / 3) - 1]} ${start.slice(0, 4)}`;
}

/** The title of a report: `Rapportage oktober 2026`, `Internal report Q3 2026`. */
export const reportTitle = (locale: Locale, audience: ReportAudience, span: ReportSpan): string =>
  `${reportWords(locale).title[audience]} ${spanInWords(locale, span)}`;

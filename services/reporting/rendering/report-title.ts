import { endOf, startOf } from "../../../core/calendar/dates.ts";
import { dayInWords, LANGUAGE_TAGS } from "../../../core/calendar/in-words.ts";
import type { Locale } from "../../../core/config/defaults.ts";
import type { ReportAudience, ReportSpan } from "../../../core/declare/report-sections.ts";
import { wordsOf } from "./words.ts";

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

/** The name of a whole month or quarter; null for other spans. */
function namedSpan(locale: Locale, { start, end }: ReportSpan): string | null {
  const isWhole = (unit: "month" | "quarter") => startOf(unit, start) === start && endOf(unit, start) === end;
  if (isWhole("month")) return monthInWords(locale, start);
  if (!isWhole("quarter")) return null;
  return `${QUARTERS[locale][Math.ceil(Number(start.slice(5, 7)) / 3) - 1]} ${start.slice(0, 4)}`;
}

/** A span in words: the name of a whole month or quarter, else its days. */
export const spanInWords = (locale: Locale, span: ReportSpan): string => namedSpan(locale, span) ?? daysInWords(locale, span);

/** The title of a report: `Rapportage oktober 2026`, `Q3 2026 internal report`, `Report 15 October 2026`. */
export function reportTitle(locale: Locale, audience: ReportAudience, span: ReportSpan): string {
  const title = wordsOf(locale).title[audience];
  const name = namedSpan(locale, span);
  return locale === "en" && name !== null ? `${name} ${title.toLowerCase()}` : `${title} ${spanInWords(locale, span)}`;
}

import { addDays, type IsoDate, yearOf } from "../../../core/calendar/calendar.ts";
import { DEFAULT_COUNTRY, dutchHolidays, type GeneratedHoliday } from "./holidays.ts";

/** The service's own locales; a country's own languages are added. */
const LOCALES = ["nl", "en"];
const HOUR_MS = 3_600_000;

/** Whole days a library holiday lasts, at least one; tolerates a missing hour on days when the clock goes forward. */
function wholeDays(start: Date, end: Date): number {
  return Math.max(1, Math.floor(((end.getTime() - start.getTime()) / HOUR_MS + 1) / 24));
}

/**
 * The public holidays of a country other than the Netherlands, one row per day, in date order, keyed by the library's rule (people
 * chapter §5). Later days of one rule in a year get the suffix `#2`, `#3`, … National holidays only. A half-day holiday is a row too and
 * frees the whole day; the organisation may deactivate it. The library is loaded on first use, because most organisations never need it.
 */
async function libraryHolidays(country: string, year: number): Promise<GeneratedHoliday[]> {
  const { default: Holidays } = await import("date-holidays");
  const library = new Holidays(country.toUpperCase());
  const languages = [...new Set([...LOCALES, ...library.getLanguages()])];
  const names = languages.map((language) => library.getHolidays(year, language));
  const rows: GeneratedHoliday[] = [];
  const taken = new Set<IsoDate>();
  const daysOfRule = new Map<string, number>();
  for (const [index, holiday] of library.getHolidays(year).entries()) {
    if (holiday.type !== "public") continue;
    const name_i18n = Object.fromEntries(languages.map((language, at) => [language, names[at]?.[index]?.name ?? holiday.name]));
    for (let day = 0; day < wholeDays(holiday.start, holiday.end); day += 1) {
      const date = addDays(holiday.date.slice(0, 10), day);
      if (yearOf(date) !== year || taken.has(date)) continue;
      const nth = (daysOfRule.get(holiday.rule) ?? 0) + 1;
      daysOfRule.set(holiday.rule, nth);
      taken.add(date);
      rows.push({ key: nth === 1 ? holiday.rule : `${holiday.rule} #${nth}`, date, name_i18n });
    }
  }
  return rows.sort((a, b) => (a.date < b.date ? -1 : 1));
}

/** The generator code of a country: lower case, `nl` if unset (people chapter §4 "Settings", §5). */
export function generatorOf(country: string | null | undefined): string {
  return country ? country.toLowerCase() : DEFAULT_COUNTRY;
}

/**
 * The holidays of a country in a year, in the order of its table; empty for an unknown country, never an error (people chapter §5).
 * `country` is ISO 3166-1 alpha-2 in either case; null or empty means `nl`.
 */
export async function generateHolidays(country: string | null | undefined, year: number): Promise<GeneratedHoliday[]> {
  const generator = generatorOf(country);
  return generator === DEFAULT_COUNTRY ? dutchHolidays(year) : await libraryHolidays(generator, year);
}

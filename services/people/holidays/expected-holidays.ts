import { earlier, type IsoDate, later, yearOf } from "../../../core/calendar/calendar.ts";
import type { LeaveSources } from "../sources.ts";
import { generateHolidays } from "./holiday-generator.ts";

/** The most years after the start to look up holidays for; a contract may end in 9999. */
const MOST_YEARS = 10;

/**
 * The dates of active holidays, plus the holidays that a future import will add for years without any rows yet (people chapter §2
 * "seeded before anything is priced", §5, §9). The job imports a year in December, but requests and patterns reach further, and what is
 * priced now is not re-priced later. If the organisation switched the import off, only its own rows count; past years are never imported.
 * @param from with `to`, the range about to be priced
 */
export async function expectedHolidays(
  { settings, today, holidays, holiday_years: known }: LeaveSources,
  from: IsoDate,
  to: IsoDate,
): Promise<ReadonlySet<IsoDate>> {
  if (!settings.holiday_auto_import) return holidays;
  const first = Math.max(yearOf(from), yearOf(today));
  const count = Math.max(0, Math.min(yearOf(to) - first, MOST_YEARS) + 1);
  const missing = Array.from({ length: count }, (_, ahead) => first + ahead).filter((year) => !known.has(year));
  if (missing.length === 0) return holidays;
  const generated = await Promise.all(missing.map((year) => generateHolidays(settings.holiday_country, year)));
  return new Set([...holidays, ...generated.flat().map(({ date }) => date)]);
}

/** The holidays that price these spans, each by {@link expectedHolidays}, so their days are laid out as they were priced (people §11, §13). */
export function holidaysOf(
  spans: readonly { readonly start_date: IsoDate; readonly end_date: IsoDate }[],
  sources: LeaveSources,
): Promise<ReadonlySet<IsoDate>> {
  const from = spans.map(({ start_date }) => start_date).reduce(earlier, sources.today);
  const to = spans.map(({ end_date }) => end_date).reduce(later, sources.today);
  return expectedHolidays(sources, from, to);
}

import { type IsoDate, later, yearOf } from "../../../core/calendar/calendar.ts";
import { generateHolidays } from "../holidays/holiday-generator.ts";
import type { LeaveSources, Person } from "../sources.ts";
import { horizonOf } from "./recurrence.ts";

/** Years ahead whose holidays are looked up; a contract may end in 9999. */
const MOST_YEARS = 10;

/**
 * The dates of active holidays, and for years of which the organisation holds no row yet those that its import will bring: the job
 * imports a year in December, patterns reach further, and a placed day is never priced again (people chapter §2 "seeded before anything
 * is priced", §5, §9). An organisation that switched the import off keeps its calendar itself.
 * @param people whose patterns are about to be placed
 */
export async function expectedHolidays(sources: LeaveSources, people: readonly Person[]): Promise<ReadonlySet<IsoDate>> {
  const { settings, today, holidays, holiday_years: known } = sources;
  if (!settings.holiday_auto_import) return holidays;
  const reach = people
    .map(({ contracts }) => horizonOf(contracts, today, settings.recurring_horizon_months))
    .reduce(later, today);
  const first = yearOf(today);
  const years = Array.from({ length: Math.min(yearOf(reach) - first, MOST_YEARS) + 1 }, (_, ahead) => first + ahead);
  const missing = years.filter((year) => !known.has(year));
  const generated = await Promise.all(missing.map((year) => generateHolidays(settings.holiday_country, year)));
  return new Set([...holidays, ...generated.flat().map(({ date }) => date)]);
}

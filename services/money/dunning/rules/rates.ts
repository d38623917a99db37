import { CALENDAR, dateOf, type IsoDate, lastOfYear, yearOf } from "../../../../core/calendar/calendar.ts";

/** Who owes the money: the law knows an interest for trade and one for everybody else. */
export type Debtor = "business" | "consumer";

/** The yearly percentages of statutory interest from a day on, with up to 2 decimals. */
export interface InterestRate {
  readonly from: IsoDate;
  readonly business: string;
  readonly consumer: string;
}

/**
 * Dutch statutory interest by half year. Business: art. 6:119a and 6:120 lid 2 BW, the refinancing rate of the European Central Bank on
 * the first day of the half year, plus 8 points (directive 2011/7/EU, art. 2(6) and 3(3)); since 16 March 2013. Consumer: art. 6:119 and
 * 6:120 lid 1 BW, as the Besluit vaststelling wettelijke rente has it. Source: the table "wettelijke rente" of rijksoverheid.nl. A day
 * that is not here had the rate of the entry before it; before the first one, its own.
 * The newest half year is always listed, even if its rates did not change.
 */
export const STATUTORY_RATES: readonly InterestRate[] = [
  { from: "2013-03-16", business: "8.75", consumer: "3" },
  { from: "2013-07-01", business: "8.5", consumer: "3" },
  { from: "2014-01-01", business: "8.25", consumer: "3" },
  { from: "2014-07-01", business: "8.15", consumer: "3" },
  { from: "2015-01-01", business: "8.05", consumer: "2" },
  { from: "2016-07-01", business: "8", consumer: "2" },
  { from: "2023-01-01", business: "10.5", consumer: "4" },
  { from: "2023-07-01", business: "12", consumer: "6" },
  { from: "2024-01-01", business: "12.5", consumer: "7" },
  { from: "2024-07-01", business: "12.25", consumer: "7" },
  { from: "2025-01-01", business: "11.15", consumer: "6" },
  { from: "2025-07-01", business: "10.15", consumer: "6" },
  { from: "2026-01-01", business: "10.15", consumer: "4" },
  { from: "2026-07-01", business: "10.4", consumer: "4" },
];

/** The last day for which rates are known: the end of the half year of the newest entry. */
export const knownUntil = (rates: readonly InterestRate[]): IsoDate => {
  const newest = rates.at(-1)?.from ?? CALENDAR.first;
  const endOfJune = dateOf(yearOf(newest), 6, 30);
  return newest <= endOfJune ? endOfJune : lastOfYear(yearOf(newest));
};

/** Rates of an organisation added to the table: the same day replaces an entry. Ascending. */
export function ratesWith(own: readonly InterestRate[]): InterestRate[] {
  const byDay = new Map([...STATUTORY_RATES, ...own].map((rate) => [rate.from, rate]));
  return [...byDay.values()].toSorted((one, other) => (one.from < other.from ? -1 : 1));
}

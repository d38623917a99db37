import { dateIn, todayIn } from "../../../core/calendar/calendar.ts";
import { requestedSpan } from "../../../core/calendar/named-spans.ts";
import { DEFAULT_ZONE } from "../../../core/config/defaults.ts";
import type { AnsweredPeriod } from "../envelope.ts";

/** The date parameters of a read. */
export interface NamedDays {
  period?: string | undefined;
  date_from?: string | undefined;
  date_to?: string | undefined;
}

/** The resolved days of a read, in the account's zone. */
export interface Window {
  period: AnsweredPeriod;
  /** Today in the account's zone, and in UTC. */
  today: string;
  utcToday: string;
  warnings: string[];
}

/**
 * Resolves the days of a read (marketing-ads §1, "Advertising windows").
 * @param zone the account's; null or unknown uses the default zone
 * @param now an instant
 */
export function windowOf(named: NamedDays, zone: string | null, now: string): Window {
  const today = todayIn(zone, now, DEFAULT_ZONE);
  const { from, to, days, token, swapped, capped, unfinished } = requestedSpan(named, today);
  return {
    period: { date_from: from, date_to: to, days, token },
    today,
    utcToday: dateIn("UTC", now),
    warnings: [
      ...(swapped ? ["ads.warning.dates_swapped"] : []),
      ...(capped ? ["ads.warning.range_capped"] : []),
      ...(unfinished ? ["ads.warning.period_not_final"] : []),
    ],
  };
}

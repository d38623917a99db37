import { type IsoDate, isoWeekKey } from "../../../core/calendar/calendar.ts";
import type { DecimalText } from "../../../core/values/money.ts";
import { worthOf } from "../calculation/hours.ts";
import type { UninvoicedGrouping } from "./report-schemas.ts";

/** Groupings by time. */
export type Period = Extract<UninvoicedGrouping, "day" | "week" | "month" | "year">;

export const isPeriod = (group: UninvoicedGrouping): group is Period =>
  group === "day" || group === "week" || group === "month" || group === "year";

/** The key of the period that contains a date: `YYYY-MM-DD`, ISO `YYYY-Www`, `YYYY-MM` or `YYYY` (money §8). */
export function periodKey(period: Period, date: IsoDate): string {
  if (period === "day") return date;
  if (period === "week") return isoWeekKey(date);
  return date.slice(0, period === "month" ? 7 : 4);
}

/** One worker's minutes in a group, sorted by group. */
export interface Worked {
  readonly key: string;
  readonly label: string | null;
  readonly count: number;
  readonly minutes: number;
  readonly rate: DecimalText;
}

interface Sums {
  readonly count: number;
  readonly minutes: number;
  readonly amount: DecimalText;
}

const sumsOf = (worked: readonly Worked[], currency: string): Sums => ({
  count: worked.reduce((total, { count }) => total + count, 0),
  minutes: worked.reduce((total, { minutes }) => total + minutes, 0),
  amount: worthOf(worked, currency),
});

/**
 * Groups of hours in input order, and their total. Each amount is rounded once, after its own sum: the total rounds the exact sum, not the
 * rounded groups (money §8).
 */
export function groupedHours(
  worked: readonly Worked[],
  currency: string,
): {
  groups: (Sums & { key: string; label: string | null })[];
  total: Sums;
} {
  const groups = [...Map.groupBy(worked, ({ key }) => key)].map(([key, rows]) => ({
    key,
    label: rows[0]?.label ?? null,
    ...sumsOf(rows, currency),
  }));
  return { groups, total: sumsOf(worked, currency) };
}

import { addMonths, endOf, type IsoDate, yearOf } from "../../../../core/calendar/calendar.ts";
import { namedValues } from "../../../../core/naming/named-values.ts";
import { formatRounded } from "../../../../core/values/currencies.ts";
import { type DecimalText, decimal, sum } from "../../../../core/values/money.ts";
import type { ReportPeriod } from "../period.ts";

export const REVENUE_GROUPS = namedValues("RevenueGrouping", ["month", "company", "kind", "product"]);
export type RevenueGrouping = (typeof REVENUE_GROUPS)[number];

/** Most months that a period touches: by month the report has an entry for each. */
const MOST_MONTHS = 120;
/** The calendar has no year before it. */
const FIRST_YEAR = 1;

/** Revenue of a group now and a year before, exact: not rounded. */
export interface RevenueRow {
  readonly key: string;
  readonly label: string | null;
  readonly amount: string;
  readonly previous: string;
  readonly documents: number;
}

interface Compared {
  amount: DecimalText;
  previous_amount: DecimalText;
  change_pct: DecimalText | null;
}
export interface RevenueGroup extends Compared {
  key: string;
  label: string | null;
  document_count: number;
}

/** The same days a year before; a period that ends with a month ends with that month a year before, also in February of a leap year. */
export function yearBefore({ from, to }: ReportPeriod): ReportPeriod {
  const last = addMonths(to, -12);
  return { from: addMonths(from, -12), to: to === endOf("month", to) ? endOf("month", last) : last };
}

const monthNumber = (day: IsoDate): number => yearOf(day) * 12 + Number(day.slice(5, 7)) - 1;

/** The months that a period touches, as `YYYY-MM`. */
export function monthsOf({ from, to }: ReportPeriod): string[] {
  const first = monthNumber(from);
  return Array.from({ length: monthNumber(to) - first + 1 }, (_, index) => {
    const month = first + index;
    return `${String(Math.floor(month / 12)).padStart(4, "0")}-${String((month % 12) + 1).padStart(2, "0")}`;
  });
}

/** Whether a period can be compared with the year before: it touches at most ten years of months, and there was a year before. */
export const isComparable = ({ from, to }: ReportPeriod): boolean =>
  monthNumber(to) - monthNumber(from) < MOST_MONTHS && yearOf(from) > FIRST_YEAR;

/** Rounded amounts, and the change in percent with one decimal; null without an amount a year before. */
function compared(rows: readonly RevenueRow[], currency: string): Compared {
  const amount = formatRounded(sum(rows.map((row) => row.amount)), currency);
  const previous_amount = formatRounded(sum(rows.map(({ previous }) => previous)), currency);
  const before = decimal(previous_amount);
  const change_pct = before.isZero() ? null : decimal(amount).minus(before).dividedBy(before.abs()).times(100).toFixed(1);
  return { amount, previous_amount, change_pct };
}

/**
 * Revenue by group and in total (money, "Reports"). Each amount is rounded once, after its own sum: the total is the same however it is
 * grouped. Months come in order, each of the period; other groups the largest first.
 */
export function revenueOf(rows: readonly RevenueRow[], group: RevenueGrouping, period: ReportPeriod, currency: string) {
  const found = new Map(rows.map((row) => [row.key, row]));
  const none = (key: string): RevenueRow => ({ key, label: null, amount: "0", previous: "0", documents: 0 });
  const all = group === "month" ? monthsOf(period).map((month) => found.get(month) ?? none(month)) : [...rows].sort(largestFirst);
  return {
    groups: all.map((row): RevenueGroup => {
      const { key, label, documents } = row;
      return { key, label, ...compared([row], currency), document_count: documents };
    }),
    total: compared(rows, currency),
  };
}

const largestFirst = (one: RevenueRow, other: RevenueRow): number =>
  decimal(other.amount).comparedTo(decimal(one.amount)) ||
  decimal(other.previous).comparedTo(decimal(one.previous)) ||
  ((one.label ?? "") < (other.label ?? "") ? -1 : 1);

import { type Decimal, type DecimalText, decimal, roundHalfUp, sum, toCents } from "../../../core/values/money.ts";

/**
 * Finished minutes and the effective hourly rate of their author, 2 decimals; null means no rate. For one entry or a group: the totals are
 * the same, because rounding comes last.
 */
export interface RatedMinutes {
  readonly minutes: number;
  readonly rate: DecimalText | null;
}

/** Σ minutes ÷ 60 × rate, rounded once to 2 decimals; minutes without a rate count as zero (work chapter §4.5). */
function amountOf(worked: Iterable<RatedMinutes>): Decimal {
  const minutesByRate = new Map<DecimalText, number>();
  for (const { minutes, rate } of worked) if (rate !== null) minutesByRate.set(rate, (minutesByRate.get(rate) ?? 0) + minutes);
  // Whole cents × minutes stay exact; there is one division, then one rounding.
  const centMinutes = sum([...minutesByRate].map(([rate, minutes]) => decimal(toCents(rate)).times(minutes)));
  return roundHalfUp(centMinutes.dividedBy(6000));
}

/** The value of minutes as a JSON number with at most 2 decimals: Σ minutes ÷ 60 × rate, rounded after summing (§4.5). */
export const worth = (worked: Iterable<RatedMinutes>): number => amountOf(worked).toNumber();

/** The cost and billable value of a project's finished hours (work chapter §4.5, `/time/cost`). */
export interface Cost {
  readonly cost: number;
  readonly billable_amount: number;
  /** Minutes of people without a rate, reported because the cost leaves them out. */
  readonly unrated_minutes: number;
}

/** The cost of finished minutes, billable or not, at their authors' rates. */
export function costOf(worked: readonly (RatedMinutes & { readonly billable: boolean })[]): Cost {
  return {
    cost: worth(worked),
    billable_amount: worth(worked.filter(({ billable }) => billable)),
    unrated_minutes: worked.filter(({ rate }) => rate === null).reduce((total, { minutes }) => total + minutes, 0),
  };
}

/** Billable finished minutes of a month. */
export interface MonthMinutes extends RatedMinutes {
  readonly year: number;
  /** 1–12 */
  readonly month: number;
}

/** Billable finished minutes of the requested year by client; null for entries without one. */
export interface ClientMinutes extends RatedMinutes {
  readonly company_id: string | null;
}

/** The response of `/time/stats/revenue` besides the year. */
export interface Revenue {
  readonly months_current: number[];
  readonly months_previous: number[];
  readonly total_current: number;
  readonly total_previous: number;
  readonly top_clients: { readonly company_id: string | null; readonly revenue: number }[];
  readonly other_revenue: number;
  readonly rounding: number;
}

/** Number of clients listed by name. */
const TOP_CLIENTS = 10;

/** Sorts after every id. */
const AFTER_IDS = "~";

const grouped = <K, T>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> => {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
};

type ClientRevenue = Revenue["top_clients"][number];
const mostFirst = (one: ClientRevenue, other: ClientRevenue): number =>
  other.revenue - one.revenue || ((one.company_id ?? AFTER_IDS) < (other.company_id ?? AFTER_IDS) ? -1 : 1);

/**
 * The revenue of a year and the year before (work chapter §4.5): each month rounded after summing, a year's total the sum of its rounded
 * months; the 10 clients with the highest revenue, each rounded after summing, ties by id with entries without a client last; the rest in
 * one figure. Clients, rest and `rounding` add up to the year's total: the difference from rounding by month and by client goes to the
 * rest, or without a rest into `rounding`. People without a rate are left out, and so are clients whose hours have no value.
 */
export function revenueOf(year: number, months: readonly MonthMinutes[], clients: readonly ClientMinutes[]): Revenue {
  const byMonth = grouped(months, (one) => one.year * 12 + one.month);
  const ofYear = (one: number) => Array.from({ length: 12 }, (_, index) => worth(byMonth.get(one * 12 + index + 1) ?? []));
  const [months_current, months_previous] = [ofYear(year), ofYear(year - 1)];
  const total_current = sum(months_current).toNumber();
  const ranked = [...grouped(clients, ({ company_id }) => company_id)]
    .map(([company_id, worked]) => ({ company_id, revenue: worth(worked) }))
    .filter(({ revenue }) => revenue > 0)
    .sort(mostFirst);
  const top = ranked.slice(0, TOP_CLIENTS);
  const left = decimal(total_current).minus(sum(top.map(({ revenue }) => revenue)));
  const hasRest = ranked.length > TOP_CLIENTS && left.greaterThanOrEqualTo(0);
  return {
    months_current,
    months_previous,
    total_current,
    total_previous: sum(months_previous).toNumber(),
    top_clients: top,
    other_revenue: hasRest ? left.toNumber() : 0,
    rounding: hasRest ? 0 : left.toNumber(),
  };
}

import { addDays, daysInclusive, eachDay, earlier } from "../../../core/calendar/dates.ts";
import { comparedSpan, type DaySpan, rememberedComparison } from "../../../core/calendar/named-spans.ts";
import { queryAll } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { Decimal } from "../../../core/values/money.ts";
import type { AdsAccountRow } from "../../../mixins/google-ads/models.ts";
import { accountBrief } from "../envelope.ts";
import { type Figures, figuresOf, rounded, type Sums, sumsOf, total } from "../reads/figures.ts";
import { type NamedDays, windowOf } from "../reads/window.ts";
import type { AdsChangeAmount, AdsTrendRead } from "./trend-schemas.ts";

export const DAYS_NOT_SYNCED = "ads.warning.days_not_synced";
/** Most campaigns of a breakdown. */
const MOST_CAMPAIGNS = 10;

// Exact numbers are passed as text, because a JSON number has only 15 digits.
const METRICS = ["impressions", "clicks", "cost_micros", "conversions", "conversions_value", "all_conversions"];
/** SQL of a day's figures in `ads_days`. */
export const TEXTS = METRICS.map((name) => `${name}::text`).join(", ");
/** SQL of the sums of `TEXTS`. */
export const SUMS = METRICS.map((name) => `sum(${name})::text as ${name}`).join(", ");
const DAYS = statement(`select day, ${TEXTS} from ads_days
  where organisation_id = $1 and account_id = $2 and dimension = 'account'
    and (day between $3::date and $4::date or day between $5::date and $6::date) order by day`);
const CAMPAIGNS = statement(`select item, (array_agg(item_name order by day desc))[1] as name, ${SUMS} from ads_days
  where organisation_id = $1 and account_id = $2 and dimension = 'campaign' and day between $3::date and $4::date
  group by item order by sum(cost_micros) desc, item limit ${MOST_CAMPAIGNS}`);

/** Figures as returned by a statement. */
export interface StoredSums {
  impressions: string;
  clicks: string;
  cost_micros: string;
  conversions: string;
  conversions_value: string;
  all_conversions: string;
}

export const exactOf = (row: StoredSums): Sums => ({
  impressions: BigInt(row.impressions),
  clicks: BigInt(row.clicks),
  costMicros: BigInt(row.cost_micros),
  conversions: new Decimal(row.conversions),
  conversionsValue: new Decimal(row.conversions_value),
  allConversions: new Decimal(row.all_conversions),
});

/** The change of each metric, without metrics that are null in either span (marketing-ads §3.6). */
export function changesBetween(before: Figures, now: Figures): Record<string, Static<typeof AdsChangeAmount>> {
  const names = Object.keys(now) as (keyof Figures)[];
  return Object.fromEntries(
    names.flatMap((name) => {
      const [from, to] = [before[name], now[name]];
      if (from === null || to === null) return [];
      const difference = new Decimal(to).minus(from);
      const relative = from === 0 ? null : rounded(difference.dividedBy(from), 4);
      return [[name, { from, to, absolute: rounded(difference, 4), relative }]];
    }),
  );
}

const periodOf = ({ from, to }: DaySpan, token: string | null) => ({
  date_from: from,
  date_to: to,
  days: daysInclusive(from, to),
  token,
});

/** An account's stored figures over a period and its comparison period; calls no provider. @param now an instant */
export async function trendOf(
  account: AdsAccountRow,
  named: NamedDays & { compare?: string | undefined },
  now: string,
): Promise<Static<typeof AdsTrendRead>> {
  const { period, today, warnings } = windowOf(named, account.time_zone, now);
  const mode = rememberedComparison(named.compare?.trim().toLowerCase());
  const current: DaySpan = { from: period.date_from, to: period.date_to };
  const compared = comparedSpan(current, mode);
  const place = [request().organisation.id, account.id];
  const [rows = [], campaigns = []] = (await queryAll(
    [DAYS, [...place, current.from, current.to, compared.from, compared.to]],
    [CAMPAIGNS, [...place, current.from, current.to]],
  )) as unknown as [(StoredSums & { day: string })[], (StoredSums & { item: string; name: string | null })[]];
  const byDay = new Map(rows.map((row) => [row.day, exactOf(row)]));
  const within = ({ from, to }: DaySpan) => rows.flatMap(({ day }) => (day >= from && day <= to ? [byDay.get(day) as Sums] : []));
  const missingIn = ({ from, to }: DaySpan): number => {
    const final = earlier(to, addDays(today, -1));
    return final < from ? 0 : eachDay(from, final).filter((day) => !byDay.has(day)).length;
  };
  const [missing, comparedMissing] = [missingIn(current), missingIn(compared)];
  // A day that was never read is not a day without figures (marketing-ads §1).
  const isCompared = missing === 0 && comparedMissing === 0;
  const totals = figuresOf(total(within(current)));
  const previous = figuresOf(total(isCompared ? within(compared) : []));
  return {
    account: accountBrief(account),
    period,
    compared_with: periodOf(compared, null),
    compare_mode: mode,
    currency: account.currency_code || null,
    totals,
    previous_totals: previous,
    change: isCompared ? changesBetween(previous, totals) : {},
    series: eachDay(current.from, current.to).map((day) => ({ date: day, metrics: figuresOf(byDay.get(day) ?? sumsOf()) })),
    breakdown: campaigns.map((row) => ({
      campaign_id: row.item,
      campaign_name: row.name ?? row.item,
      ...figuresOf(exactOf(row)),
    })),
    missing_days: missing,
    compared_missing_days: comparedMissing,
    warnings: missing + comparedMissing > 0 ? [...warnings, DAYS_NOT_SYNCED] : warnings,
  };
}

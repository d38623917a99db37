import { Decimal, decimal, roundHalfUp } from "../../../core/values/money.ts";
import { AdsFailure } from "../../../mixins/google-ads/failure.ts";

/** An int64 of the provider, usually sent as text; missing if not set. */
export type Int64 = string | number | undefined;

/** The metrics that every read with figures selects, as the provider returns them. Zeros may be missing. */
export interface ProviderMetrics {
  impressions?: Int64;
  clicks?: Int64;
  costMicros?: Int64;
  conversions?: number;
  conversionsValue?: number;
  allConversions?: number;
}

/** The query fields behind {@link Figures}. */
export const METRIC_FIELDS = [
  "metrics.impressions",
  "metrics.clicks",
  "metrics.cost_micros",
  "metrics.conversions",
  "metrics.conversions_value",
  "metrics.all_conversions",
] as const;

/** Exact sums. Figures are computed from them last, because the ratio of a total is not a sum of ratios. */
export interface Sums {
  impressions: bigint;
  clicks: bigint;
  costMicros: bigint;
  conversions: Decimal;
  conversionsValue: Decimal;
  allConversions: Decimal;
}

/** Figures of a row or a total (marketing-ads §3.5). Money is in the account's currency; a ratio with a zero denominator is null. */
export interface Figures {
  impressions: number;
  clicks: number;
  cost: number;
  conversions: number;
  conversions_value: number;
  all_conversions: number;
  ctr: number | null;
  average_cpc: number | null;
  conversion_rate: number | null;
  cost_per_conversion: number | null;
  value_per_conversion: number | null;
}

const MICROS = 1_000_000;

/** Parses an integer of the provider, 0 if missing. @throws AdsFailure */
export function whole(value: Int64): bigint {
  if (value === undefined) return 0n;
  if (typeof value === "number" ? !Number.isSafeInteger(value) : !/^-?\d{1,19}$/.test(value))
    throw AdsFailure.unreadable(200, "a whole number has another type");
  return BigInt(value);
}

/** Parses a number of the provider without rounding, 0 if missing. @throws AdsFailure */
export function exact(value: number | undefined): Decimal {
  if (value === undefined) return new Decimal(0);
  if (typeof value !== "number" || !Number.isFinite(value)) throw AdsFailure.unreadable(200, "a number has another type");
  return new Decimal(value);
}

/** Rounds half up for a response; a JSON number represents up to 15 digits exactly. */
export const rounded = (value: Decimal | bigint, places: number): number =>
  roundHalfUp(typeof value === "bigint" ? new Decimal(value.toString()) : value, places).toNumber();

const unitsOf = (micros: bigint): Decimal => new Decimal(micros.toString()).dividedBy(MICROS);

/** An amount of money with 2 decimals, null if missing. @throws AdsFailure */
export const amount = (micros: Int64): number | null => (micros === undefined ? null : rounded(unitsOf(whole(micros)), 2));

/** A rounded number of the provider, null if missing. @throws AdsFailure */
export const fraction = (value: number | undefined, places: number): number | null =>
  value === undefined ? null : rounded(exact(value), places);

export const sumsOf = (metrics: ProviderMetrics = {}): Sums => ({
  impressions: whole(metrics.impressions),
  clicks: whole(metrics.clicks),
  costMicros: whole(metrics.costMicros),
  conversions: exact(metrics.conversions),
  conversionsValue: exact(metrics.conversionsValue),
  allConversions: exact(metrics.allConversions),
});

/** The sum of several rows. */
export const total = (rows: readonly Sums[]): Sums =>
  rows.reduce(
    (one, other) => ({
      impressions: one.impressions + other.impressions,
      clicks: one.clicks + other.clicks,
      costMicros: one.costMicros + other.costMicros,
      conversions: one.conversions.plus(other.conversions),
      conversionsValue: one.conversionsValue.plus(other.conversionsValue),
      allConversions: one.allConversions.plus(other.allConversions),
    }),
    sumsOf(),
  );

const ratio = (part: Decimal, of: Decimal, places: number): number | null =>
  of.isZero() ? null : rounded(part.dividedBy(of), places);

/** Computes figures from exact sums, rounding each once (marketing-ads §3.5). */
export function figuresOf(sums: Sums): Figures {
  const [impressions, clicks] = [decimal(sums.impressions.toString()), decimal(sums.clicks.toString())];
  const cost = unitsOf(sums.costMicros);
  return {
    impressions: Number(sums.impressions),
    clicks: Number(sums.clicks),
    cost: rounded(cost, 2),
    conversions: rounded(sums.conversions, 2),
    conversions_value: rounded(sums.conversionsValue, 2),
    all_conversions: rounded(sums.allConversions, 2),
    ctr: ratio(clicks, impressions, 6),
    average_cpc: ratio(cost, clicks, 2),
    conversion_rate: ratio(sums.conversions, clicks, 6),
    cost_per_conversion: ratio(cost, sums.conversions, 2),
    value_per_conversion: ratio(sums.conversionsValue, sums.conversions, 2),
  };
}

/** Sorts rows by cost, highest first. */
export const byCost = (one: { sums: Sums }, other: { sums: Sums }): number =>
  one.sums.costMicros === other.sums.costMicros ? 0 : one.sums.costMicros > other.sums.costMicros ? -1 : 1;

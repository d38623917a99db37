import { answer, field, flag, nullable, type Static, Type } from "../../../core/schema/schema.ts";
import { decimal } from "../../../core/values/money.ts";

export const KpiValue = answer("KpiValue", {
  current: Type.Number({ description: "Value of the span, rounded to 4 decimals; 0 without figures" }),
  previous: Type.Number({ description: "Value of the span it is compared with, rounded to 4 decimals; 0 without figures" }),
  delta_pct: nullable(Type.Number({ description: "Change in percent, rounded to 1 decimal; null if `previous` is 0" })),
  lower_is_better: field(flag(), "Whether a falling value is a better one"),
  pending: field(flag(), "Whether the source's value of the whole span is still pending; both values are 0 until then"),
});
export type Kpi = Static<typeof KpiValue>;

/** Percentage change between two values, rounded to 1 decimal, half away from zero; null if the previous value is 0. */
export function deltaPct(current: number, previous: number): number | null {
  if (previous === 0) return null;
  return decimal(current).minus(previous).div(previous).times(100).toDecimalPlaces(1).toNumber();
}

/** A metric of both spans. */
export const kpiOf = (current: number, previous: number, lowerIsBetter: boolean): Kpi => ({
  current,
  previous,
  delta_pct: deltaPct(current, previous),
  lower_is_better: lowerIsBetter,
  pending: false,
});

/** A metric whose value was not yet fetched from the source. */
export const pendingKpi = (lowerIsBetter: boolean): Kpi => ({ ...kpiOf(0, 0, lowerIsBetter), pending: true });

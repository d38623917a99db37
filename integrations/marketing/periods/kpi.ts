import { answer, field, flag, nullable, type Static, Type } from "../../../core/schema/schema.ts";
import { decimal } from "../../../core/values/money.ts";

/** Fields that count unread days. */
export const missingFields = {
  missing_days: Type.Integer({ description: "Days of the span that the source was never read for; above 0 nothing is compared" }),
  previous_missing_days: Type.Integer({
    description: "Days of the span it is compared with that the source was never read for; above 0 nothing is compared",
  }),
};

export const KpiValue = answer("KpiValue", {
  current: Type.Number({ description: "Value of the span, rounded to 4 decimals; 0 without figures" }),
  previous: Type.Number({
    description: "Value of the span it is compared with, rounded to 4 decimals; 0 without figures, and where days are missing",
  }),
  delta_pct: nullable(
    Type.Number({ description: "Change in percent, rounded to 1 decimal; null if `previous` is 0 or days are missing" }),
  ),
  lower_is_better: field(flag(), "Whether a falling value is a better one"),
  pending: field(flag(), "Whether the source's value of the whole span is still pending; both values are 0 until then"),
  ...missingFields,
});
export type Kpi = Static<typeof KpiValue>;

/** The days of both spans that were never read. */
export interface MissingDays {
  current: number;
  previous: number;
}

/** Whether a figure is compared: only if every day of both spans was read (marketing-ads §1). */
export const isCompared = ({ current, previous }: MissingDays): boolean => current === 0 && previous === 0;

/** Percentage change between two values, rounded to 1 decimal, half away from zero; null if the previous value is 0. */
export function deltaPct(current: number, previous: number): number | null {
  if (previous === 0) return null;
  return decimal(current).minus(previous).div(previous).times(100).toDecimalPlaces(1).toNumber();
}

/** A metric of both spans; without its earlier value if days of either span are missing. */
export function kpiOf(current: number, previous: number, lowerIsBetter: boolean, missing: MissingDays): Kpi {
  const before = isCompared(missing) ? previous : 0;
  return {
    current,
    previous: before,
    delta_pct: deltaPct(current, before),
    lower_is_better: lowerIsBetter,
    pending: false,
    missing_days: missing.current,
    previous_missing_days: missing.previous,
  };
}

/** A metric whose value was not yet fetched from the source. */
export const pendingKpi = (lowerIsBetter: boolean, missing: MissingDays): Kpi => ({
  ...kpiOf(0, 0, lowerIsBetter, missing),
  pending: true,
});

import { answer, date, json, list, map, nullable, Type } from "../../../core/schema/schema.ts";
import { AdsAccountBrief, AdsMetrics, AdsPeriod } from "../report-schemas.ts";

const number = (description: string) => nullable(Type.Number({ description }));

export const AdsTrendPoint = answer(
  "AdsTrendPoint",
  {
    date: { ...date(), description: "The day, in the account's zone" },
    metrics: AdsMetrics,
  },
  { metrics: "Figures of that day" },
);

export const AdsChangeAmount = answer("AdsChangeAmount", {
  from: number("Value in the days it is compared with"),
  to: number("Value in the period"),
  absolute: number("`to` less `from`, 4 decimals"),
  relative: number("The difference as a fraction of `from`, 4 decimals; null if `from` is 0"),
});

export const AdsTrendRead = answer(
  "AdsTrendRead",
  {
    account: AdsAccountBrief,
    period: AdsPeriod,
    compared_with: AdsPeriod,
    compare_mode: Type.String({ description: "`year`: the same days a year earlier; `previous`: the days before" }),
    currency: nullable(Type.String({ description: "The account's currency, ISO 4217; null while it is unknown" })),
    totals: AdsMetrics,
    previous_totals: AdsMetrics,
    change: map(nullable(AdsChangeAmount), {
      default: {},
      description: "Change by metric; metrics without a value in one of the spans are omitted",
    }),
    series: { ...list(AdsTrendPoint), default: [], description: "Every day of the period, oldest first" },
    breakdown: Type.Array(json(), {
      default: [],
      description: "Up to 10 campaigns by cost: `campaign_id`, `campaign_name` and their figures in the period",
    }),
    missing_days: Type.Integer({
      default: 0,
      description: "Days of the period up to yesterday whose figures are not stored yet",
    }),
    compared_missing_days: Type.Integer({
      default: 0,
      description: "The same for `compared_with`: while either is above 0, `previous_totals` are 0 and `change` is empty",
    }),
    warnings: Type.Array(Type.String(), { default: [], description: "Codes of warnings for readers of the figures" }),
  },
  {
    account: "The account",
    period: "Days the figures are of, in the account's zone",
    compared_with: "Days they are compared with",
    totals: "Figures of the period",
    previous_totals: "Figures of the days it is compared with",
  },
);

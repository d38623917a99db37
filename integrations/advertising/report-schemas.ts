import { answer, date, instant, json, nullable, Type, uuid } from "../../core/schema/schema.ts";

const integer = (description: string) => Type.Integer({ description, default: 0 });
const number = (description: string) => Type.Number({ description, default: 0 });
const ratio = (description: string) => nullable(Type.Number({ description }));

/** Figures of a period. Money is in the account's currency. */
export const AdsMetrics = answer("AdsMetrics", {
  impressions: integer("How often an ad was shown"),
  clicks: integer("How often an ad was clicked"),
  cost: number("Spent, in the account's currency, 2 decimals"),
  conversions: number("Conversions that bidding counts, 2 decimals: several clicks can share one"),
  conversions_value: number("What those conversions are worth, in the account's currency, 2 decimals"),
  all_conversions: number("All conversions, including those that bidding ignores, 2 decimals"),
  ctr: ratio("Clicks per impression, a fraction of 6 decimals; null without impressions"),
  average_cpc: ratio("Cost per click, 2 decimals; null without clicks"),
  conversion_rate: ratio("Conversions per click, a fraction of 6 decimals; null without clicks"),
  cost_per_conversion: ratio("Cost per conversion, 2 decimals; null without conversions"),
  value_per_conversion: ratio("Value per conversion, 2 decimals; null without conversions"),
});

/** The period of a response. */
export const AdsPeriod = answer("AdsPeriod", {
  date_from: { ...date(), description: "First day, in the account's zone" },
  date_to: { ...date(), description: "Last day, included" },
  days: Type.Integer({ description: "Number of days from `date_from` to `date_to`" }),
  token: nullable(Type.String({ description: "The period as it was resolved, such as `30d`; null if two dates named it" })),
});

/** An account in a response. */
export const AdsAccountBrief = answer("AdsAccountBrief", {
  id: { ...uuid(), description: "The account, as this service knows it" },
  customer_id: Type.String({ description: "The provider's id, digits only" }),
  customer_id_formatted: Type.String({ description: "`customer_id` with hyphens if it has 10 digits, else as it is" }),
  descriptive_name: Type.String({ description: "The account's name at the provider" }),
  company_id: nullable({ ...uuid(), description: "Its client; null without one" }),
});

/** The fields of every report on an account. */
const reportFields = {
  account: AdsAccountBrief,
  period: { ...nullable(AdsPeriod), description: "The days of the figures; null for reads without days" },
  currency: nullable(Type.String({ description: "The account's currency, ISO 4217; null while it is unknown" })),
  account_timezone: nullable(Type.String({ description: "The account's zone, IANA; null while it is unknown" })),
  fetched_at: { ...instant(), description: "When the read began, UTC" },
  row_count: Type.Integer({ default: 0, description: "Rows of this page" }),
  total_rows: Type.Integer({ default: 0, description: "Rows that match" }),
  offset: Type.Integer({ default: 0, description: "Rows before this page" }),
  warnings: Type.Array(Type.String(), { default: [], description: "Codes of warnings for readers of the figures" }),
  totals: {
    ...nullable(AdsMetrics),
    description: "Figures of all matching rows, ratios computed from the sums; null for rows without figures",
  },
  rows: Type.Array(json(), { default: [], description: "One page of rows; which fields they have is the read's own" }),
  extra: json({ default: {}, description: "Facts that only this read has" }),
};

export const AdsReport = answer("AdsReport", reportFields, { account: "The account that was read" });

export const AdsQueryRead = answer(
  "AdsQueryRead",
  {
    ...reportFields,
    rows: Type.Array(json(), { default: [], description: "Rows as the provider answers them, in its own names" }),
    executed_query: Type.String({ default: "", description: "The query that was sent" }),
    resource: Type.String({ default: "", description: "The resource it reads" }),
  },
  { account: "The account read" },
);

export const AdsSnapshotRead = answer(
  "AdsSnapshotRead",
  {
    ...reportFields,
    account_summary: json({
      default: {},
      description:
        "Figures of the whole account in the period, removed campaigns included, with its `optimization_score` and `status` at the provider",
    }),
    campaign_count: Type.Integer({ default: 0, description: "Campaigns that are not removed" }),
    enabled_campaign_count: Type.Integer({ default: 0, description: "Campaigns that are enabled" }),
    total_daily_budget: nullable(
      Type.Number({
        description:
          "Daily budget of enabled campaigns, in the account's currency, a shared budget counted once; null if none has a budget",
      }),
    ),
  },
  { account: "The account" },
);

import { column, type RowOf, tenantModel } from "../../../core/database/model.ts";

const { decimal, integer, text, texts, uuid } = column;

/** The guard rails of an organisation or of one account (marketing-ads §3.8). */
export const AdsPolicy = tenantModel("ads_policies", {
  account_id: uuid().orNull(),
  protected_terms: texts().withDefault(),
  banned_phrases: texts().withDefault(),
  always_exclude: texts().withDefault(),
  max_daily_budget: decimal().orNull(),
  max_budget_increase_pct: decimal().orNull(),
  max_cpc: decimal().orNull(),
  waste_min_cost: decimal().orNull(),
  waste_min_clicks: integer().orNull(),
  steering: text().withDefault(),
  ad_copy_rules: text().withDefault(),
});
export type AdsPolicyRow = RowOf<typeof AdsPolicy>;

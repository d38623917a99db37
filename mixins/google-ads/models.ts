import { column, type RowOf, tenantModel } from "../../core/database/model.ts";
import { notFound } from "../../core/errors/errors.ts";

const { boolean, date, decimal, instant, json, sealed, text, uuid } = column;

/** An organisation's advertising settings; at most one row (marketing-ads §3.1). */
export const AdsSettings = tenantModel("ads_settings", {
  developer_token: sealed().orNull(),
  default_login_customer_id: text().orNull(),
  writes_enabled: boolean().withDefault(),
});
export type AdsSettingsRow = RowOf<typeof AdsSettings>;

/** An organisation's marketing settings; at most one row (marketing-ads §2.4). Its developer token is advertising's second choice. */
export const MarketingSettings = tenantModel("marketing_settings", {
  ads_developer_token: sealed().orNull(),
  seranking_api_key: sealed().orNull(),
  default_compare: text<"year" | "previous">().orNull(),
  rankings: json().withDefault(),
  report: json().withDefault(),
});
export type MarketingSettingsRow = RowOf<typeof MarketingSettings>;

/** An advertising account, with or without a client (marketing-ads §3.2). */
export const AdsAccount = tenantModel("ads_accounts", {
  customer_id: text(),
  login_customer_id: text().orNull().tracked(),
  company_id: uuid().orNull().tracked(),
  connection_id: uuid().orNull(),
  descriptive_name: text().tracked(),
  currency_code: text().orNull(),
  time_zone: text().orNull(),
  is_manager: boolean().withDefault(),
  test_account: boolean().withDefault(),
  conversion_tracking_status: text().orNull(),
  optimization_score: decimal().orNull(),
  active: boolean().withDefault().tracked(),
  status: text<"active" | "error">().withDefault(),
  last_error: text().orNull(),
  last_verified_at: instant().orNull(),
  last_synced_at: instant().orNull(),
  backfilled_at: instant().orNull(),
  backfilled_from: date().orNull(),
}).whenViolated({
  // A row that is deleted between the check and the write is not found either.
  ads_accounts_organisation_id_company_id_fkey: notFound,
});
export type AdsAccountRow = RowOf<typeof AdsAccount>;

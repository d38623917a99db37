import { column, type RowOf, tenantModel } from "../../core/database/model.ts";
import { notFound } from "../../core/errors/errors.ts";

const { boolean, date, days, instant, json, sealed, text, uuid } = column;

/** How the figures of one client are shown; at most one row per client (marketing-ads §2.5). */
export const CompanyMarketingSettings = tenantModel("marketing_company_settings", {
  company_id: uuid(),
  show_key_events: boolean().withDefault(),
  layout: json().orNull(),
  compare: text<"year" | "previous">().orNull(),
  rankings: json().orNull(),
  report: json().orNull(),
});
export type CompanyMarketingSettingsRow = RowOf<typeof CompanyMarketingSettings>;

/** A client's account at a metric source (marketing-ads §2.2). */
export const MarketingLink = tenantModel("marketing_links", {
  company_id: uuid(),
  website_id: uuid().orNull(),
  source: text(),
  external_id: text(),
  display_name: text(),
  config: json().withDefault(),
  active: boolean().withDefault(),
  connection_id: uuid().orNull(),
  backfill_done: boolean().withDefault(),
  /** Written by versions up to 0.4, whose backfill began with the oldest days. */
  backfilled_to: date().orNull(),
  read_days: days().withDefault(),
  last_synced_at: instant().orNull(),
  last_error: text().orNull(),
  paused_until: instant().orNull(),
  held_by: uuid().orNull(),
  held_until: instant().orNull(),
}).whenViolated({
  // A row that is deleted between the check and the write is not found either.
  marketing_links_organisation_id_company_id_fkey: notFound,
  marketing_links_organisation_id_website_id_fkey: notFound,
});
export type MarketingLinkRow = RowOf<typeof MarketingLink>;

/** The WordPress user for reading the plugin of a website. */
export const WebsiteCredential = tenantModel("marketing_website_credentials", {
  website_id: uuid(),
  address: text(),
  username: text(),
  password: sealed(),
});
export type WebsiteCredentialRow = RowOf<typeof WebsiteCredential>;

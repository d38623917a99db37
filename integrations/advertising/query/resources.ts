/** The resources that queries can read (marketing-ads §3.7). */
const QUERYABLE = new Set([
  "ad_group",
  "ad_group_ad",
  "ad_group_ad_asset_view",
  "ad_group_audience_view",
  "ad_group_criterion",
  "asset",
  "asset_group",
  "asset_group_signal",
  "audience",
  "campaign",
  "campaign_audience_view",
  "campaign_budget",
  "campaign_conversion_goal",
  "campaign_criterion",
  "campaign_search_term_insight",
  "campaign_shared_set",
  "change_event",
  "change_status",
  "conversion_action",
  "conversion_goal_campaign_config",
  "customer",
  "customer_client",
  "customer_conversion_goal",
  "detail_placement_view",
  "geo_target_constant",
  "geographic_view",
  "keyword_view",
  "landing_page_view",
  "language_constant",
  "recommendation",
  "search_term_view",
  "shared_criterion",
  "shared_set",
  "user_list",
  "user_location_view",
]);

export const isQueryable = (resource: string): boolean => QUERYABLE.has(resource);

/** Whether queries can name fields of a resource: it is on the list, or has the figures of one. */
export const hasQueryableFields = (resource: string): boolean =>
  resource === "metrics" || resource === "segments" || isQueryable(resource);

/** Warnings of the reads, the query runner and keyword ideas (marketing-ads §1, §3.5 to §3.7). */
export const readWarnings = [
  "ads.warning.changes_exclude_automation",
  "ads.warning.changes_window_shortened",
  "ads.warning.conversions_are_configuration",
  "ads.warning.dates_swapped",
  "ads.warning.geo_country_only",
  "ads.warning.keyword_volume_is_estimated",
  "ads.warning.limit_clamped",
  "ads.warning.no_campaigns_matched",
  "ads.warning.period_not_final",
  "ads.warning.range_capped",
  "ads.warning.rows_truncated",
  "ads.warning.search_terms_unclassified",
] as const;

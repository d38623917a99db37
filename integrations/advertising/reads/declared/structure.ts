import { adName } from "../../ad-name.ts";
import { type AdsRow, idOf } from "../ads-row.ts";
import { amount, fraction, type Int64 } from "../figures.ts";
import { figuresRead } from "../read.ts";

/** The fields for a row's campaign and ad group. */
export const CAMPAIGN = ["campaign.id", "campaign.name"] as const;
export const AD_GROUP = [...CAMPAIGN, "ad_group.id", "ad_group.name"] as const;

export const campaignOf = ({ campaign }: AdsRow) => ({
  campaign_id: idOf(campaign?.id),
  campaign_name: campaign?.name ?? "",
});
export const adGroupOf = (row: AdsRow) => ({
  ...campaignOf(row),
  ad_group_id: idOf(row.adGroup?.id),
  ad_group_name: row.adGroup?.name ?? "",
});

/** A target; undefined if the provider returns 0, which means not set. */
const target = <T>(value: T | undefined): T | undefined => (Number(value ?? 0) === 0 ? undefined : value);
const targetCpa = ({ targetCpa, maximizeConversions }: NonNullable<AdsRow["campaign"]>): Int64 =>
  target(targetCpa?.targetCpaMicros) ?? target(maximizeConversions?.targetCpaMicros);
const targetRoas = ({ targetRoas, maximizeConversionValue }: NonNullable<AdsRow["campaign"]>): number | undefined =>
  target(targetRoas?.targetRoas) ?? target(maximizeConversionValue?.targetRoas);

export const campaigns = figuresRead({
  path: "campaigns",
  summary: "Read the campaigns of an account with their figures",
  description: "Live from the provider, the highest cost first.",
  takes: ["campaigns", "include_removed", "period", "status"],
  ceiling: 500,
  searched: ["campaign_name"],
  from: "campaign",
  select: [
    ...CAMPAIGN,
    "campaign.status",
    "campaign.serving_status",
    "campaign.advertising_channel_type",
    "campaign.advertising_channel_sub_type",
    "campaign.bidding_strategy_type",
    "campaign.start_date_time",
    "campaign.end_date_time",
    "campaign.optimization_score",
    "campaign_budget.id",
    "campaign_budget.amount_micros",
    "campaign_budget.delivery_method",
    "campaign.target_cpa.target_cpa_micros",
    "campaign.maximize_conversions.target_cpa_micros",
    "campaign.target_roas.target_roas",
    "campaign.maximize_conversion_value.target_roas",
    "metrics.search_impression_share",
    "metrics.search_budget_lost_impression_share",
    "metrics.search_rank_lost_impression_share",
  ],
  statuses: ["campaign.status"],
  row: (row) => ({
    ...campaignOf(row),
    status: row.campaign?.status ?? null,
    serving_status: row.campaign?.servingStatus ?? null,
    channel_type: row.campaign?.advertisingChannelType ?? null,
    channel_sub_type: row.campaign?.advertisingChannelSubType ?? null,
    bidding_strategy_type: row.campaign?.biddingStrategyType ?? null,
    start_date_time: row.campaign?.startDateTime ?? null,
    end_date_time: row.campaign?.endDateTime ?? null,
    optimization_score: fraction(row.campaign?.optimizationScore, 6),
    daily_budget: amount(row.campaignBudget?.amountMicros),
    budget_delivery_method: row.campaignBudget?.deliveryMethod ?? null,
    target_cpa: amount(targetCpa(row.campaign ?? {})),
    target_roas: fraction(targetRoas(row.campaign ?? {}), 4),
    search_impression_share: fraction(row.metrics?.searchImpressionShare, 6),
    search_lost_is_budget: fraction(row.metrics?.searchBudgetLostImpressionShare, 6),
    search_lost_is_rank: fraction(row.metrics?.searchRankLostImpressionShare, 6),
  }),
});

export const adGroups = figuresRead({
  path: "ad-groups",
  summary: "Read the ad groups of an account with their figures",
  description: "Live from the provider, the highest cost first. A removed campaign counts as removal of its ad groups.",
  takes: ["campaigns", "include_removed", "period", "status"],
  ceiling: 1000,
  searched: ["ad_group_name", "campaign_name"],
  from: "ad_group",
  select: [...AD_GROUP, "ad_group.status", "ad_group.type", "ad_group.cpc_bid_micros"],
  statuses: ["ad_group.status", "campaign.status"],
  row: (row) => ({
    ...adGroupOf(row),
    status: row.adGroup?.status ?? null,
    ad_group_type: row.adGroup?.type ?? null,
    cpc_bid: amount(row.adGroup?.cpcBidMicros),
  }),
});

export const ads = figuresRead({
  path: "ads",
  summary: "Read the ads of an account with their figures",
  description:
    "Live from the provider, the highest cost first. Removed ads are read with `status=REMOVED`. `ad_name` is the ad's own name, else its first headline, else its type and id.",
  takes: ["campaigns", "period", "status"],
  ceiling: 500,
  searched: ["campaign_name", "ad_group_name", "final_urls"],
  from: "ad_group_ad",
  select: [
    ...AD_GROUP,
    "ad_group_ad.ad.id",
    "ad_group_ad.ad.name",
    "ad_group_ad.ad.type",
    "ad_group_ad.ad.responsive_search_ad.headlines",
    "ad_group_ad.ad.final_urls",
    "ad_group_ad.status",
    "ad_group_ad.ad_strength",
    "ad_group_ad.policy_summary.approval_status",
  ],
  statuses: ["ad_group_ad.status", "ad_group.status", "campaign.status"],
  row: (row) => ({
    ...adGroupOf(row),
    ad_id: idOf(row.adGroupAd?.ad?.id),
    ad_name: adName(row.adGroupAd?.ad ?? {}),
    ad_type: row.adGroupAd?.ad?.type ?? null,
    final_urls: row.adGroupAd?.ad?.finalUrls ?? [],
    status: row.adGroupAd?.status ?? null,
    ad_strength: row.adGroupAd?.adStrength ?? null,
    approval_status: row.adGroupAd?.policySummary?.approvalStatus ?? null,
  }),
});

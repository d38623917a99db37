import type { Int64, ProviderMetrics } from "./figures.ts";

interface Keyword {
  text?: string;
  matchType?: string;
}

interface Criterion {
  criterionId?: Int64;
  keyword?: Keyword;
  status?: string;
}

/** The metrics of a recommendation's impact. */
export interface ImpactMetrics {
  impressions?: number;
  clicks?: number;
  costMicros?: Int64;
  conversions?: number;
}

/** One side of a change: a message under its resource type, such as `{campaign: {status: "PAUSED"}}`. */
export type ChangedResource = Record<string, Record<string, unknown> | undefined>;

/** A provider row, limited to the fields that the reads select. Names are in lowerCamelCase; unset fields may be missing. */
export interface AdsRow {
  metrics?: ProviderMetrics & {
    allConversionsValue?: number;
    searchImpressionShare?: number;
    searchBudgetLostImpressionShare?: number;
    searchRankLostImpressionShare?: number;
  };
  segments?: {
    device?: string;
    searchTermMatchType?: string;
    geoTargetRegion?: string;
    geoTargetCity?: string;
  };
  customer?: { optimizationScore?: number; status?: string };
  campaign?: {
    id?: Int64;
    name?: string;
    status?: string;
    servingStatus?: string;
    advertisingChannelType?: string;
    advertisingChannelSubType?: string;
    biddingStrategyType?: string;
    startDateTime?: string;
    endDateTime?: string;
    optimizationScore?: number;
    targetCpa?: { targetCpaMicros?: Int64 };
    maximizeConversions?: { targetCpaMicros?: Int64 };
    targetRoas?: { targetRoas?: number };
    maximizeConversionValue?: { targetRoas?: number };
  };
  campaignBudget?: { id?: Int64; amountMicros?: Int64; deliveryMethod?: string };
  adGroup?: { id?: Int64; name?: string; status?: string; type?: string; cpcBidMicros?: Int64 };
  adGroupCriterion?: Criterion & {
    cpcBidMicros?: Int64;
    effectiveCpcBidMicros?: Int64;
    qualityInfo?: {
      qualityScore?: number;
      creativeQualityScore?: string;
      postClickQualityScore?: string;
      searchPredictedCtr?: string;
    };
  };
  campaignCriterion?: Criterion;
  sharedCriterion?: Criterion;
  sharedSet?: { name?: string };
  searchTermView?: { searchTerm?: string; status?: string };
  adGroupAd?: {
    ad?: {
      id?: Int64;
      name?: string;
      type?: string;
      finalUrls?: string[];
      responsiveSearchAd?: { headlines?: { text?: string }[] };
    };
    status?: string;
    adStrength?: string;
    policySummary?: { approvalStatus?: string };
  };
  userLocationView?: { countryCriterionId?: Int64 };
  geoTargetConstant?: { id?: Int64; name?: string };
  conversionAction?: {
    id?: Int64;
    name?: string;
    status?: string;
    type?: string;
    category?: string;
    origin?: string;
    primaryForGoal?: boolean;
    countingType?: string;
    clickThroughLookbackWindowDays?: Int64;
    viewThroughLookbackWindowDays?: Int64;
    attributionModelSettings?: { attributionModel?: string };
    includeInConversionsMetric?: boolean;
  };
  changeEvent?: {
    changeDateTime?: string;
    changeResourceType?: string;
    changeResourceName?: string;
    resourceChangeOperation?: string;
    campaign?: string;
    adGroup?: string;
    userEmail?: string;
    clientType?: string;
    changedFields?: string;
    oldResource?: ChangedResource;
    newResource?: ChangedResource;
  };
  recommendation?: {
    resourceName?: string;
    type?: string;
    campaign?: string;
    campaigns?: string[];
    adGroup?: string;
    impact?: { baseMetrics?: ImpactMetrics; potentialMetrics?: ImpactMetrics };
  };
}

/** An id as text, from either JSON form; empty if missing. */
export const idOf = (id: Int64): string => (id === undefined ? "" : String(id));

/** The id at the end of a resource name, such as `customers/1/campaigns/23`; null without one. */
export const idInName = (name: string): string | null => /\/(\d+)$/.exec(name)?.[1] ?? null;

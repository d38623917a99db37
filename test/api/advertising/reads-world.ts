import type { SimulatedCustomer } from "../../simulators/google-ads/state.ts";

/** A day within the last 30. */
export const dayBefore = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** Figures as they were measured. */
export interface Measured {
  impressions?: number;
  clicks?: number;
  costMicros?: bigint;
  conversions?: number;
  conversionsValue?: number;
  allConversions?: number;
  [share: string]: number | bigint | undefined;
}

const metricsOf = (measured: Measured) =>
  Object.fromEntries(Object.entries(measured).filter(([, value]) => value !== undefined)) as Record<string, number | bigint>;

/** Fills an account of the simulator, object by object. */
export class FilledAccount {
  readonly customer: SimulatedCustomer;

  constructor(customer: SimulatedCustomer) {
    this.customer = customer;
  }

  /** A campaign with its own budget unless one is named, and its figures of a day. */
  campaign(id: number, name: string, measured: Measured = {}, values: Record<string, unknown> = {}): string {
    const budget =
      (values["campaignBudget"] as string | undefined) ??
      this.customer.put("campaign_budget", `campaignBudgets/${id}`, {
        id: String(id),
        name: `Budget ${id}`,
        amountMicros: String(id * 1_000_000),
        deliveryMethod: "STANDARD",
      });
    const campaign = this.customer.put("campaign", `campaigns/${id}`, {
      id: String(id),
      name,
      status: "ENABLED",
      servingStatus: "SERVING",
      advertisingChannelType: "SEARCH",
      biddingStrategyType: "TARGET_SPEND",
      startDateTime: "2026-01-01 00:00:00",
      ...values,
      campaignBudget: budget,
    });
    this.measure("campaign", campaign, measured);
    return campaign;
  }

  adGroup(id: number, name: string, campaign: string, measured: Measured = {}, values: Record<string, unknown> = {}): string {
    const made = this.customer.put("ad_group", `adGroups/${id}`, {
      id: String(id),
      name,
      status: "ENABLED",
      type: "SEARCH_STANDARD",
      cpcBidMicros: "1250000",
      campaign,
      ...values,
    });
    this.measure("ad_group", made, measured);
    return made;
  }

  /** A keyword with its view, which has its figures. */
  keyword(id: number, text: string, adGroup: string, measured: Measured = {}, values: Record<string, unknown> = {}): void {
    const group = adGroup.split("/").at(-1);
    const criterion = this.customer.put("ad_group_criterion", `adGroupCriteria/${group}~${id}`, {
      criterionId: String(id),
      type: "KEYWORD",
      keyword: { text, matchType: "PHRASE" },
      status: "ENABLED",
      negative: false,
      adGroup,
      ...values,
    });
    const view = this.customer.put("keyword_view", `keywordViews/${group}~${id}`, { adGroupCriterion: criterion });
    this.measure("keyword_view", view, measured);
  }

  searchTerm(text: string, adGroup: string, measured: Measured, matchType = "BROAD"): void {
    const view = this.customer.put("search_term_view", `searchTermViews/${adGroup.split("/").at(-1)}~${text}`, {
      searchTerm: text,
      status: "NONE",
      adGroup,
    });
    this.measure("search_term_view", view, measured, { searchTermMatchType: matchType });
  }

  ad(id: number, adGroup: string, finalUrls: string[], measured: Measured = {}, values: Record<string, unknown> = {}): void {
    const made = this.customer.put("ad_group_ad", `adGroupAds/${adGroup.split("/").at(-1)}~${id}`, {
      ad: { id: String(id), type: "RESPONSIVE_SEARCH_AD", finalUrls },
      status: "ENABLED",
      adStrength: "GOOD",
      policySummary: { approvalStatus: "APPROVED" },
      adGroup,
      ...values,
    });
    this.measure("ad_group_ad", made, measured);
  }

  /** An object's figures, three days ago unless a day is named. */
  measure(resource: string, of: string, measured: Measured, segments: Record<string, string> = {}): void {
    if (Object.keys(measured).length > 0)
      this.customer.measured(resource, of, { date: dayBefore(3), ...segments }, metricsOf(measured));
  }

  /** Names of places. */
  places(names: Readonly<Record<number, string>>): void {
    for (const [id, name] of Object.entries(names))
      this.customer.put("geo_target_constant", `geoTargetConstants/${id}`, { id, name });
  }

  /** Figures of people in a place; two of them for whether the place is targeted. */
  place(campaign: string, country: number, isTargeted: boolean, region: number, city: number, measured: Measured): void {
    const view = this.customer.put("user_location_view", `userLocationViews/${country}~${isTargeted}`, {
      countryCriterionId: String(country),
      targetingLocation: isTargeted,
      campaign,
    });
    this.measure("user_location_view", view, measured, {
      geoTargetRegion: `geoTargetConstants/${region}`,
      geoTargetCity: `geoTargetConstants/${city}`,
    });
  }
}

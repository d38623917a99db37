import type { SimulatedCustomer } from "./state.ts";

/** Ids of the records in an advertised account. */
export const ADVERTISED = {
  budget: "1",
  campaign: "2",
  adGroup: "3",
  ad: "4",
  keyword: "5",
  negative: "6",
  list: "7",
  freeBudget: "11",
  sharedBudget: "12",
} as const;

const AD = {
  ...{ id: "4", type: "RESPONSIVE_SEARCH_AD", finalUrls: ["https://bakery.example/rolls"] },
  responsiveSearchAd: {
    headlines: [{ text: "Warm rolls" }, { text: "Baked today" }, { text: "Order online" }],
    descriptions: [{ text: "Rolls of the day." }, { text: "Delivered before seven." }],
  },
};

/**
 * Fills an account with a budget in use (1), an unused one (11), a shared one (12), a campaign (2), an ad group (3), an ad (4), a keyword
 * (5), a negative at every level (6) and a list (7).
 */
export function advertise(customer: SimulatedCustomer): void {
  const at = (name: string) => `${customer.resourceName}/${name}`;
  const budget = (id: string, name: string, referenceCount: string) =>
    customer.put("campaign_budget", `campaignBudgets/${id}`, {
      ...{ id, name, referenceCount, status: "ENABLED", amountMicros: "10000000", deliveryMethod: "STANDARD" },
      explicitlyShared: Number(referenceCount) > 1,
    });
  budget("1", "In use", "1");
  budget("11", "Free", "0");
  budget("12", "Shared", "3");
  customer.put("campaign", "campaigns/2", {
    ...{ id: "2", name: "Bread", status: "PAUSED", advertisingChannelType: "SEARCH" },
    campaignBudget: at("campaignBudgets/1"),
  });
  customer.put("ad_group", "adGroups/3", { id: "3", name: "White", status: "PAUSED", campaign: at("campaigns/2") });
  customer.put("ad_group_ad", "adGroupAds/3~4", { adGroup: at("adGroups/3"), status: "PAUSED", ad: AD });
  const keyword = { text: "white bread", matchType: "PHRASE" };
  customer.put("ad_group_criterion", "adGroupCriteria/3~5", {
    ...{ criterionId: "5", type: "KEYWORD", status: "PAUSED", negative: false, keyword },
    adGroup: at("adGroups/3"),
  });
  const negative = { criterionId: "6", type: "KEYWORD", negative: true, keyword: { text: "free", matchType: "BROAD" } };
  customer.put("campaign_criterion", "campaignCriteria/2~6", { ...negative, status: "ENABLED", campaign: at("campaigns/2") });
  customer.put("ad_group_criterion", "adGroupCriteria/3~6", { ...negative, status: "ENABLED", adGroup: at("adGroups/3") });
  const { criterionId, type, keyword: shared } = negative;
  customer.put("shared_set", "sharedSets/7", { id: "7", name: "Never", status: "ENABLED", type: "NEGATIVE_KEYWORDS" });
  customer.put("shared_criterion", "sharedCriteria/7~6", { criterionId, type, keyword: shared, sharedSet: at("sharedSets/7") });
}

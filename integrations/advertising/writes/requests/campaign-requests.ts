import { invalid } from "../../../../core/errors/errors.ts";
import { adName } from "../../ad-name.ts";
import type { DecisionWord, SubjectType } from "../../decisions/words.ts";
import { amountOf } from "./amounts.ts";
import { create, NEW_ID, type Operation, type Planned, remove, resourceName, update } from "./operation.ts";
import { type AdTexts, microsIn, requireAdTexts, type Status, statusOf } from "./rules.ts";

const one = (
  operation: Operation,
  subject_type: SubjectType,
  subject: string,
  scope: string,
  decision: DecisionWord,
  payload: Record<string, unknown> = {},
): Planned => ({ index: 0, operation, decision: { subject_type, subject, scope, decision, reason: "", payload } });

const unrecorded = (planned: Planned): Planned => ({
  ...planned,
  decision: { ...planned.decision, isUnrecorded: true },
});
const ofStatus = (status: Status): DecisionWord => (status === "ENABLED" ? "enabled" : "paused");

export function budgetCreate({ name, amount, shared }: { name: string; amount: number; shared: boolean }): Planned {
  const amountMicros = microsIn("amount", amount);
  const values = { name, amountMicros, deliveryMethod: "STANDARD", explicitlyShared: shared };
  return one(create(values), "budget", name, "account", "created", { name, amount, shared });
}

/** A budget's current state at the provider. */
export interface BudgetNow {
  name: string;
  amountMicros: string;
  /** Number of campaigns that use it. */
  referenceCount: number;
}

/** @throws 422 without a change */
export function budgetUpdate(
  customerId: string,
  id: string,
  { amount, name }: { amount?: number | undefined; name?: string | undefined },
  now: BudgetNow,
): Planned {
  requireBudgetChange({ amount, name });
  const values = {
    ...(amount !== undefined && { amountMicros: microsIn("amount", amount) }),
    ...(name !== undefined && { name }),
  };
  const payload = {
    ...(amount !== undefined && { from: amountOf(now.amountMicros).toNumber(), to: amount }),
    ...(name !== undefined && { name: { from: now.name, to: name } }),
    campaigns_affected: now.referenceCount,
  };
  const operation = update(resourceName(customerId, "campaignBudgets", id), values);
  const before = { amountMicros: now.amountMicros, name: now.name };
  return { ...one(operation, "budget", now.name || id, "account", "budget_changed", payload), before };
}

/** @throws 422 without a change */
export function requireBudgetChange({ amount, name }: { amount?: number | undefined; name?: string | undefined }): void {
  if (amount === undefined && name === undefined) throw invalid({ amount: "errors.ads_platform_nothing_to_change" });
}

export const budgetRemove = (customerId: string, id: string): Planned =>
  one(remove(resourceName(customerId, "campaignBudgets", id)), "budget", id, "account", "removed");

/** @throws 422 for a channel other than search */
export function campaignCreate(
  customerId: string,
  body: {
    name: string;
    budget_id: string;
    channel: string;
    target_content_network: boolean;
    eu_political_advertising: boolean;
  },
): Planned {
  const { name, budget_id, channel, target_content_network, eu_political_advertising } = body;
  if (channel.trim().toUpperCase() !== "SEARCH") throw invalid({ channel: "errors.validation" });
  const values = {
    name,
    status: "PAUSED",
    advertisingChannelType: "SEARCH",
    campaignBudget: resourceName(customerId, "campaignBudgets", budget_id),
    networkSettings: {
      targetGoogleSearch: true,
      targetSearchNetwork: true,
      targetContentNetwork: target_content_network,
      targetPartnerSearchNetwork: false,
    },
    // The provider refuses every campaign without this declaration.
    containsEuPoliticalAdvertising: eu_political_advertising
      ? "CONTAINS_EU_POLITICAL_ADVERTISING"
      : "DOES_NOT_CONTAIN_EU_POLITICAL_ADVERTISING",
    targetSpend: {},
  };
  return one(create(values), "campaign", name, `campaign:${NEW_ID}`, "created", { name, budget_id });
}

/** @throws 422 without a change, or for an invalid status */
export function campaignUpdate(
  customerId: string,
  id: string,
  { status, name }: { status?: string | undefined; name?: string | undefined },
): Planned {
  const wanted = statusOf(status, { mayRemove: true, others: name !== undefined });
  if (wanted === "REMOVED") return campaignRemove(customerId, id);
  const values = { ...(wanted && { status: wanted }), ...(name !== undefined && { name }) };
  const operation = update(resourceName(customerId, "campaigns", id), values);
  const planned = one(operation, "campaign", id, `campaign:${id}`, wanted ? ofStatus(wanted) : "kept", values);
  return wanted ? planned : unrecorded(planned);
}

export const campaignRemove = (customerId: string, id: string): Planned =>
  one(remove(resourceName(customerId, "campaigns", id)), "campaign", id, `campaign:${id}`, "removed");

export function adGroupCreate(
  customerId: string,
  { name, campaign_id, cpc_bid }: { name: string; campaign_id: string; cpc_bid?: number | undefined },
): Planned {
  const values = {
    name,
    status: "PAUSED",
    campaign: resourceName(customerId, "campaigns", campaign_id),
    type: "SEARCH_STANDARD",
    ...(cpc_bid !== undefined && { cpcBidMicros: microsIn("cpc_bid", cpc_bid) }),
  };
  const payload = { name, campaign_id, ...(cpc_bid !== undefined && { cpc_bid }) };
  return one(create(values), "ad_group", name, `ad_group:${NEW_ID}`, "created", payload);
}

/** @throws 422 without a change, or for an invalid status */
export function adGroupUpdate(
  customerId: string,
  id: string,
  body: { status?: string | undefined; name?: string | undefined; cpc_bid?: number | undefined },
): Planned {
  const { status, name, cpc_bid } = body;
  const wanted = statusOf(status, { mayRemove: true, others: name !== undefined || cpc_bid !== undefined });
  if (wanted === "REMOVED") return adGroupRemove(customerId, id);
  const values = {
    ...(wanted && { status: wanted }),
    ...(name !== undefined && { name }),
    ...(cpc_bid !== undefined && { cpcBidMicros: microsIn("cpc_bid", cpc_bid) }),
  };
  const payload = {
    ...(wanted && { status: wanted }),
    ...(name !== undefined && { name }),
    ...(cpc_bid !== undefined && { cpc_bid }),
  };
  const operation = update(resourceName(customerId, "adGroups", id), values);
  const word = wanted ? ofStatus(wanted) : cpc_bid !== undefined ? "bid_changed" : "kept";
  const planned = one(operation, "ad_group", id, `ad_group:${id}`, word, payload);
  return word === "kept" ? unrecorded(planned) : planned;
}

export const adGroupRemove = (customerId: string, id: string): Planned =>
  one(remove(resourceName(customerId, "adGroups", id)), "ad_group", id, `ad_group:${id}`, "removed");

/** @throws 422 with every field that violates the rules of responsive search ads */
export function adCreate(
  customerId: string,
  body: AdTexts & { ad_group_id: string; path1?: string | undefined; path2?: string | undefined },
): Planned {
  requireAdTexts(body);
  const { ad_group_id, headlines, descriptions, final_urls, path1, path2 } = body;
  const texts = (list: readonly string[]) => list.map((text) => ({ text: text.trim() }));
  const values = {
    adGroup: resourceName(customerId, "adGroups", ad_group_id),
    status: "PAUSED",
    ad: {
      finalUrls: final_urls.map((address) => address.trim()),
      responsiveSearchAd: {
        headlines: texts(headlines),
        descriptions: texts(descriptions),
        ...(path1 && { path1 }),
        ...(path2 && { path2 }),
      },
    },
  };
  const subject = adName(values.ad) ?? NEW_ID;
  return one(create(values), "ad", subject, `ad_group:${ad_group_id}`, "created", { headlines: [...headlines] });
}

/** @throws 422 for an invalid status */
export function adUpdate(customerId: string, adGroupId: string, adId: string, status: string): Planned {
  const wanted = statusOf(status) as Status;
  const operation = update(resourceName(customerId, "adGroupAds", adGroupId, adId), { status: wanted });
  return one(operation, "ad", adId, `ad_group:${adGroupId}`, ofStatus(wanted), { status: wanted });
}

export const adRemove = (customerId: string, adGroupId: string, adId: string): Planned =>
  one(remove(resourceName(customerId, "adGroupAds", adGroupId, adId)), "ad", adId, `ad_group:${adGroupId}`, "removed");

import { adName } from "../../ad-name.ts";
import { normalised } from "../../policy/terms.ts";
import type { Collection } from "./operation.ts";

/** A row of a query: objects by their lowerCamelCase names. */
export type ProviderRow = Record<string, unknown>;
export type Values = Record<string, unknown>;

export interface Kind {
  resource: string;
  /** Key of the object in a row. */
  key: string;
  fields: readonly string[];
  /** The parent whose rows are read to find a new object, and the field that names it. Null to read all rows that are not removed. */
  parent: { field: string; resource: string } | null;
  /** Its type in the provider's change history; null where the history leaves it out. */
  history: string | null;
  /** Whether a row matches a new object, in addition to its parent. */
  isSame(created: Values, found: Values): boolean;
}

export const objectIn = (value: unknown): Values => (typeof value === "object" && value !== null ? (value as Values) : {});
const textsIn = (value: unknown): string =>
  JSON.stringify((Array.isArray(value) ? value : []).map((one) => objectIn(one)["text"] ?? one));

const sameName = (created: Values, found: Values): boolean => created["name"] === found["name"];
function sameKeyword(created: Values, found: Values): boolean {
  const [wanted, has] = [objectIn(created["keyword"]), objectIn(found["keyword"])];
  const isNegative = (values: Values) => values["negative"] === true;
  return (
    normalised(String(wanted["text"])) === normalised(String(has["text"] ?? "")) &&
    wanted["matchType"] === has["matchType"] &&
    isNegative(created) === isNegative(found)
  );
}
function sameAd(created: Values, found: Values): boolean {
  const [wanted, has] = [objectIn(created["ad"]), objectIn(found["ad"])];
  const [texts, hasTexts] = [objectIn(wanted["responsiveSearchAd"]), objectIn(has["responsiveSearchAd"])];
  const same = ["headlines", "descriptions"].every((name) => textsIn(texts[name]) === textsIn(hasTexts[name]));
  const samePath = ["path1", "path2"].every((name) => (texts[name] ?? "") === (hasTexts[name] ?? ""));
  return same && samePath && textsIn(wanted["finalUrls"]) === textsIn(has["finalUrls"]);
}

const KEYWORD = ["criterion_id", "status", "keyword.text", "keyword.match_type", "negative"];
const KINDS: Readonly<Record<Collection, Kind>> = {
  campaignBudgets: {
    resource: "campaign_budget",
    history: "CAMPAIGN_BUDGET",
    key: "campaignBudget",
    fields: ["id", "name", "status", "amount_micros"],
    parent: null,
    isSame: (created, found) => sameName(created, found) && created["amountMicros"] === found["amountMicros"],
  },
  campaigns: {
    resource: "campaign",
    history: "CAMPAIGN",
    key: "campaign",
    fields: ["id", "name", "status", "campaign_budget"],
    parent: null,
    isSame: (created, found) => sameName(created, found) && created["campaignBudget"] === found["campaignBudget"],
  },
  adGroups: {
    resource: "ad_group",
    history: "AD_GROUP",
    key: "adGroup",
    fields: ["id", "name", "status", "cpc_bid_micros"],
    parent: { field: "campaign", resource: "campaign" },
    isSame: sameName,
  },
  adGroupCriteria: {
    resource: "ad_group_criterion",
    history: "AD_GROUP_CRITERION",
    key: "adGroupCriterion",
    fields: [...KEYWORD, "cpc_bid_micros"],
    parent: { field: "adGroup", resource: "ad_group" },
    isSame: sameKeyword,
  },
  campaignCriteria: {
    resource: "campaign_criterion",
    history: "CAMPAIGN_CRITERION",
    key: "campaignCriterion",
    fields: KEYWORD,
    parent: { field: "campaign", resource: "campaign" },
    isSame: sameKeyword,
  },
  sharedCriteria: {
    resource: "shared_criterion",
    history: null,
    key: "sharedCriterion",
    fields: ["criterion_id", "keyword.text", "keyword.match_type"],
    parent: { field: "sharedSet", resource: "shared_set" },
    isSame: sameKeyword,
  },
  sharedSets: {
    resource: "shared_set",
    history: null,
    key: "sharedSet",
    fields: ["id", "name", "status", "type"],
    parent: null,
    isSame: (created, found) => sameName(created, found) && created["type"] === found["type"],
  },
  campaignSharedSets: {
    resource: "campaign_shared_set",
    history: null,
    key: "campaignSharedSet",
    fields: ["campaign", "shared_set", "status"],
    parent: { field: "sharedSet", resource: "shared_set" },
    isSame: (created, found) => created["campaign"] === found["campaign"] && created["sharedSet"] === found["sharedSet"],
  },
  adGroupAds: {
    resource: "ad_group_ad",
    history: "AD_GROUP_AD",
    key: "adGroupAd",
    fields: [
      "status",
      "ad.id",
      "ad.name",
      "ad.type",
      "ad.final_urls",
      "ad.responsive_search_ad.headlines",
      "ad.responsive_search_ad.descriptions",
      "ad.responsive_search_ad.path1",
      "ad.responsive_search_ad.path2",
    ],
    parent: { field: "adGroup", resource: "ad_group" },
    isSame: sameAd,
  },
};

/** How objects of a collection are read back. */
export const kindOf = (collection: Collection): Kind => KINDS[collection];

/** The name of an object for a reader; undefined where objects of its kind have none. */
export function labelOf(collection: Collection, object: Values): string | undefined {
  const name = collection === "adGroupAds" ? adName(objectIn(object["ad"])) : object["name"];
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** Whether objects of a collection have names. */
export const isNamed = (collection: Collection): boolean =>
  collection === "adGroupAds" || KINDS[collection].fields.includes("name");

/** The resource name of an object as the provider returns it. */
export const nameOf = (one: Values): string => String(one["resourceName"] ?? "");

/** The beginning of a query for objects of a collection. */
export function selection(collection: Collection): string {
  const { resource, fields } = KINDS[collection];
  return `SELECT ${["resource_name", ...fields].map((field) => `${resource}.${field}`).join(", ")} FROM ${resource} WHERE`;
}

/** The query for objects by their resource names, at least one; it contains no text of a caller. @throws TypeError for any other text */
export function namedQuery(collection: Collection, names: readonly string[]): string {
  const wrong = names.find((name) => !/^customers\/[0-9]+\/[a-zA-Z]+\/[0-9]+(~[0-9]+)*$/.test(name));
  if (wrong !== undefined) throw new TypeError(`no resource name: ${wrong}`);
  const quoted = [...new Set(names)].map((name) => `'${name}'`);
  const field = `${KINDS[collection].resource}.resource_name`;
  return `${selection(collection)} ${field} ${quoted.length === 1 ? `= ${quoted[0]}` : `IN (${quoted.join(", ")})`}`;
}

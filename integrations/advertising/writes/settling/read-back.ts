import { normalised } from "../../policy/terms.ts";
import { type Collection, lastId, type Operation } from "../requests/operation.ts";

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

const DIGITS = /^[0-9]+$/;

/** The condition for the rows that reveal an operation's outcome: one object, one parent, or all. It contains no caller text. */
function whereOf({ resource, parent }: Kind, operation: Operation): string {
  const name = operation.remove ?? operation.update?.["resourceName"];
  if (typeof name === "string") {
    if (!/^customers\/[0-9]+\/[a-zA-Z]+\/[0-9]+(~[0-9]+)*$/.test(name)) throw new TypeError(`no resource name: ${name}`);
    return `${resource}.resource_name = '${name}'`;
  }
  if (parent) {
    const id = lastId(String(operation.create?.[parent.field]));
    if (!DIGITS.test(id)) throw new TypeError(`a new ${resource} names no parent`);
    return `${parent.resource}.id = ${id}`;
  }
  return `${resource}.status != 'REMOVED'`;
}

/** The queries that reveal the outcome of one call's operations, one per object or parent. */
export function readBackQueries(collection: Collection, operations: readonly Operation[]): string[] {
  const kind = KINDS[collection];
  const select = ["resource_name", ...kind.fields].map((field) => `${kind.resource}.${field}`).join(", ");
  const named = operations.map((one) => one.remove ?? one.update?.["resourceName"]).filter((one) => typeof one === "string");
  const from = `SELECT ${select} FROM ${kind.resource} WHERE`;
  if (named.length > 1) {
    for (const one of operations) whereOf(kind, one);
    return [`${from} ${kind.resource}.resource_name IN (${[...new Set(named)].map((name) => `'${name}'`).join(", ")})`];
  }
  return [...new Set(operations.map((one) => `${from} ${whereOf(kind, one)}`))];
}

/** Whether the provider has every value of an update. */
const hasAll = (update: Values, found: Values): boolean =>
  Object.entries(update).every(([field, value]) => field === "resourceName" || found[field] === value);

/**
 * The outcome of each operation, derived from the provider's current state: a new object is recognised by its content, a change by its
 * values, a removal by the object's absence.
 * @param rows the results of the queries
 * @param known resource names of objects that other writes created
 * @returns the resource name if the operation was applied, else null
 */
export function appliedOperations(
  collection: Collection,
  operations: readonly Operation[],
  rows: readonly ProviderRow[],
  known: ReadonlySet<string>,
): (string | null)[] {
  const kind = KINDS[collection];
  const taken = new Set(known);
  const objects = rows.map((row) => objectIn(row[kind.key]));
  const isThere = (one: Values) => one["status"] !== "REMOVED";
  // Ids of the provider increase, so the highest is the newest.
  const newestFirst = objects.filter(isThere).toSorted((a, b) => compareIds(nameOf(b), nameOf(a)));
  return operations.map(({ create, update, remove }) => {
    if (remove !== undefined) return objects.some((one) => nameOf(one) === remove && isThere(one)) ? null : remove;
    if (update) {
      const name = String(update["resourceName"]);
      return objects.some((one) => nameOf(one) === name && hasAll(update, one)) ? name : null;
    }
    const found = newestFirst.find((one) => !taken.has(nameOf(one)) && kind.isSame(withNegative(collection, create ?? {}), one));
    if (!found) return null;
    taken.add(nameOf(found));
    return nameOf(found);
  });
}

/** The resource name of an object as the provider returns it. */
export const nameOf = (one: Values): string => String(one["resourceName"] ?? "");

function compareIds(one: string, other: string): number {
  const [a, b] = [lastId(one), lastId(other)];
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** A new object as the provider reports it: criteria of a shared list do not say that they are negative. */
export const withNegative = (collection: Collection, created: Values): Values =>
  collection === "sharedCriteria" ? { ...created, negative: false } : created;

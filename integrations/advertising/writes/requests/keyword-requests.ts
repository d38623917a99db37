import type { DecisionWord } from "../../decisions/words.ts";
import type { MatchType } from "../../policy/guard-rails.ts";
import { type Collection, create, lastId, NEW_ID, type Planned, remove, resourceName, update } from "./operation.ts";
import { type Level, matchTypeOf, microsIn, requireFew, type Status, statusOf, termIn } from "./rules.ts";

/** A keyword's current state at the provider. */
export interface KeywordNow {
  text: string;
  matchType: MatchType | string;
  status?: string;
  /** Its own bid; missing if it has the ad group's. */
  cpcBidMicros?: string;
}

export interface KeywordWanted {
  text: string;
  match_type?: string | undefined;
  cpc_bid?: number | undefined;
}

/** @throws 422 for an unknown match type, or too many keywords */
export function keywordsAdd(customerId: string, adGroupId: string, keywords: readonly KeywordWanted[]): Planned[] {
  requireFew(keywords.length);
  return keywords.map(({ text, match_type, cpc_bid }, index) => {
    const [term, matchType] = [termIn(text), matchTypeOf(match_type)];
    const values = {
      adGroup: resourceName(customerId, "adGroups", adGroupId),
      status: "PAUSED",
      keyword: { text: term, matchType },
      ...(cpc_bid !== undefined && { cpcBidMicros: microsIn("cpc_bid", cpc_bid) }),
    };
    const payload = { match_type: matchType, ...(cpc_bid !== undefined && { cpc_bid }) };
    const scope = `ad_group:${adGroupId}`;
    const decision = {
      subject_type: "keyword" as const,
      subject: term,
      scope,
      decision: "added" as const,
      reason: "",
      payload,
    };
    return { index, operation: create(values), decision };
  });
}

const subjectOf = (id: string, now: ReadonlyMap<string, KeywordNow>): { subject: string; payload: Record<string, unknown> } => {
  const found = now.get(id);
  return { subject: found?.text ?? id, payload: { criterion_id: id, ...(found && { match_type: found.matchType }) } };
};

/** @throws 422 without a change, or for an invalid status */
export function keywordUpdate(
  customerId: string,
  body: { ad_group_id: string; criterion_id: string; status?: string | undefined; cpc_bid?: number | undefined },
  now: ReadonlyMap<string, KeywordNow>,
): Planned {
  const { ad_group_id, criterion_id, status, cpc_bid } = body;
  const wanted = statusOf(status, { others: cpc_bid !== undefined }) as Status | undefined;
  const values = {
    ...(wanted && { status: wanted }),
    ...(cpc_bid !== undefined && { cpcBidMicros: microsIn("cpc_bid", cpc_bid) }),
  };
  const { subject, payload } = subjectOf(criterion_id, now);
  const { status: was, cpcBidMicros: bid } = now.get(criterion_id) ?? {};
  const word: DecisionWord = wanted === undefined ? "bid_changed" : wanted === "ENABLED" ? "enabled" : "paused";
  return {
    index: 0,
    operation: update(resourceName(customerId, "adGroupCriteria", ad_group_id, criterion_id), values),
    decision: {
      subject_type: "keyword",
      subject,
      scope: `ad_group:${ad_group_id}`,
      decision: word,
      reason: "",
      payload: { ...payload, ...(wanted && { status: wanted }), ...(cpc_bid !== undefined && { cpc_bid }) },
    },
    before: { ...(was !== undefined && { status: was }), ...(bid !== undefined && { cpcBidMicros: bid }) },
  };
}

/** @throws 422 for too many keywords */
export function keywordsRemove(
  customerId: string,
  adGroupId: string,
  criterionIds: readonly string[],
  now: ReadonlyMap<string, KeywordNow>,
): Planned[] {
  requireFew(criterionIds.length);
  return criterionIds.map((id, index) => {
    const { subject, payload } = subjectOf(id, now);
    const operation = remove(resourceName(customerId, "adGroupCriteria", adGroupId, id));
    const scope = `ad_group:${adGroupId}`;
    return { index, operation, decision: { subject_type: "keyword", subject, scope, decision: "removed", reason: "", payload } };
  });
}

interface NegativeHome {
  collection: Collection;
  /** The field that names the parent, and the parent's collection. */
  parent: string;
  of: string;
}

/** The provider's collection of negative keywords for each level. */
export const NEGATIVE_HOMES: Readonly<Record<Level, NegativeHome>> = {
  campaign: { collection: "campaignCriteria", parent: "campaign", of: "campaigns" },
  ad_group: { collection: "adGroupCriteria", parent: "adGroup", of: "adGroups" },
  shared_set: { collection: "sharedCriteria", parent: "sharedSet", of: "sharedSets" },
};

export interface NegativeWanted {
  text: string;
  match_type?: string | undefined;
  reason?: string | undefined;
}

/** @throws 422 for an unknown match type, or too many terms */
export function negativesAdd(customerId: string, level: Level, parentId: string, terms: readonly NegativeWanted[]): Planned[] {
  requireFew(terms.length);
  const { parent, of } = NEGATIVE_HOMES[level];
  return terms.map(({ text, match_type, reason = "" }, index) => {
    const [term, matchType] = [termIn(text), matchTypeOf(match_type)];
    const values = {
      [parent]: resourceName(customerId, of, parentId),
      // Every keyword in a shared negative list is negative.
      ...(level !== "shared_set" && { negative: true }),
      keyword: { text: term, matchType },
    };
    return {
      index,
      operation: create(values),
      decision: {
        subject_type: "search_term",
        subject: term,
        scope: `${level}:${parentId}`,
        decision: "excluded",
        reason,
        payload: { match_type: matchType },
      },
    };
  });
}

/** Removes negatives and records them as kept, so that they count as decided. @throws 422 for too many negatives */
export function negativesRemove(
  customerId: string,
  level: Level,
  parentId: string,
  criterionIds: readonly string[],
  now: ReadonlyMap<string, KeywordNow>,
): Planned[] {
  requireFew(criterionIds.length);
  const { collection } = NEGATIVE_HOMES[level];
  return criterionIds.map((id, index) => {
    const { subject, payload } = subjectOf(id, now);
    return {
      index,
      operation: remove(resourceName(customerId, collection, parentId, id)),
      decision: {
        subject_type: "search_term",
        subject,
        scope: `${level}:${parentId}`,
        decision: "kept",
        reason: "",
        payload: { ...payload, undo: true },
      },
    };
  });
}

/** Creates a list of negative keywords. Decisions have no list subject, so it is recorded as a keyword in the list's scope. */
export const negativeListCreate = (name: string): Planned => ({
  index: 0,
  operation: create({ name, type: "NEGATIVE_KEYWORDS" }),
  decision: {
    subject_type: "keyword",
    subject: name,
    scope: `shared_set:${NEW_ID}`,
    decision: "created",
    reason: "",
    payload: { name },
  },
});

/**
 * @param list resource name of the list
 * @param campaigns with the names that the provider has; null if it has none
 * @throws 422 for too many campaigns
 */
export function negativeListAttach(
  customerId: string,
  list: string,
  campaigns: readonly { id: string; name: string | null }[],
): Planned[] {
  requireFew(campaigns.length);
  const listId = lastId(list);
  return campaigns.map(({ id, name }, at) => ({
    index: at + 1,
    operation: create({ campaign: resourceName(customerId, "campaigns", id), sharedSet: list }),
    decision: {
      subject_type: "campaign",
      subject: name ?? id,
      scope: `shared_set:${listId}`,
      decision: "added",
      reason: "",
      payload: { campaign_id: id, shared_set_id: listId },
    },
  }));
}

/** @param name of the list; null if the provider does not know it */
export const negativeListRemove = (customerId: string, id: string, name: string | null): Planned => ({
  index: 0,
  operation: remove(resourceName(customerId, "sharedSets", id)),
  decision: {
    subject_type: "keyword",
    subject: name ?? id,
    scope: `shared_set:${id}`,
    decision: "removed",
    reason: "",
    payload: {},
  },
  before: {},
});

import { decisionsOnTerms } from "../../decisions/standing.ts";
import { subjectKey } from "../../decisions/words.ts";
import { type AdsRow, idOf } from "../ads-row.ts";
import { amount } from "../figures.ts";
import { is, isFalse, isNot, isTrue, queryText } from "../query-text.ts";
import { type FoundRow, figuresRead, type ReadDeclaration } from "../read.ts";
import { AD_GROUP, adGroupOf, CAMPAIGN, campaignOf } from "./structure.ts";

const termOf = (row: Record<string, unknown>): string => String(row["search_term"]);

/** Adds to each search term its newest decision in force, of any scope. */
async function withDecisions(accountId: string, rows: Record<string, unknown>[]): Promise<Record<string, unknown>[]> {
  const standing = await decisionsOnTerms(accountId, rows.map(termOf));
  return rows.map((row) => {
    const [newest] = standing.get(subjectKey(termOf(row))) ?? [];
    if (!newest) return row;
    const { decision, reason, scope, by } = newest;
    return { ...row, decided: { decision, reason, scope, by } };
  });
}

export const keywords = figuresRead({
  path: "keywords",
  summary: "Read the keywords of an account with their figures",
  description: "Live from the provider, the highest cost first. Negative keywords are a read of their own.",
  takes: ["campaigns", "include_removed", "period", "status"],
  ceiling: 2000,
  searched: ["keyword", "campaign_name", "ad_group_name"],
  from: "keyword_view",
  select: [
    ...AD_GROUP,
    "ad_group_criterion.criterion_id",
    "ad_group_criterion.keyword.text",
    "ad_group_criterion.keyword.match_type",
    "ad_group_criterion.status",
    "ad_group_criterion.cpc_bid_micros",
    "ad_group_criterion.effective_cpc_bid_micros",
    "ad_group_criterion.quality_info.quality_score",
    "ad_group_criterion.quality_info.creative_quality_score",
    "ad_group_criterion.quality_info.post_click_quality_score",
    "ad_group_criterion.quality_info.search_predicted_ctr",
  ],
  where: [isFalse("ad_group_criterion.negative")],
  statuses: ["ad_group_criterion.status", "ad_group.status", "campaign.status"],
  row: (row) => {
    const { criterionId, keyword, status, cpcBidMicros, effectiveCpcBidMicros, qualityInfo } = row.adGroupCriterion ?? {};
    return {
      ...adGroupOf(row),
      criterion_id: idOf(criterionId),
      keyword: keyword?.text ?? "",
      match_type: keyword?.matchType ?? null,
      status: status ?? null,
      cpc_bid: amount(cpcBidMicros),
      effective_cpc_bid: amount(effectiveCpcBidMicros),
      // Scores start at 1; 0 means no score.
      quality_score: qualityInfo?.qualityScore || null,
      creative_quality: qualityInfo?.creativeQualityScore ?? null,
      landing_page_quality: qualityInfo?.postClickQualityScore ?? null,
      expected_ctr: qualityInfo?.searchPredictedCtr ?? null,
    };
  },
});

export const searchTerms = figuresRead({
  path: "search-terms",
  summary: "Read what people searched for when they saw an ad",
  description:
    "Live from the provider, the highest cost first. `decided` is the newest valid decision on the term, whatever its scope. This does not judge whether a term fits.",
  takes: ["campaigns", "thresholds", "period"],
  ceiling: 1000,
  searched: ["search_term", "campaign_name", "ad_group_name"],
  from: "search_term_view",
  select: [...AD_GROUP, "search_term_view.search_term", "search_term_view.status", "segments.search_term_match_type"],
  statuses: ["ad_group.status", "campaign.status"],
  warnings: ["ads.warning.search_terms_unclassified"],
  row: (row) => ({
    search_term: row.searchTermView?.searchTerm ?? "",
    match_status: row.searchTermView?.status ?? null,
    match_type: row.segments?.searchTermMatchType ?? null,
    ...adGroupOf(row),
    decided: null,
  }),
  complete: withDecisions,
});

const NEGATIVES = 2000;
const LEVELS = ["ad_group", "campaign", "shared_set"] as const;

const keywordFields = (criterion: string): string[] =>
  ["criterion_id", "keyword.text", "keyword.match_type"].map((field) => `${criterion}.${field}`);

const NEGATIVES_OF: Readonly<Record<(typeof LEVELS)[number], string>> = {
  ad_group: queryText({
    from: "ad_group_criterion",
    select: [...keywordFields("ad_group_criterion"), ...AD_GROUP],
    where: [
      is("ad_group_criterion.type", "KEYWORD"),
      isTrue("ad_group_criterion.negative"),
      isNot("ad_group_criterion.status", "REMOVED"),
      isNot("ad_group.status", "REMOVED"),
      isNot("campaign.status", "REMOVED"),
    ],
    limit: NEGATIVES + 1,
  }),
  campaign: queryText({
    from: "campaign_criterion",
    select: [...keywordFields("campaign_criterion"), ...CAMPAIGN],
    where: [
      is("campaign_criterion.type", "KEYWORD"),
      isTrue("campaign_criterion.negative"),
      isNot("campaign_criterion.status", "REMOVED"),
      isNot("campaign.status", "REMOVED"),
    ],
    limit: NEGATIVES + 1,
  }),
  shared_set: queryText({
    from: "shared_criterion",
    select: [...keywordFields("shared_criterion"), "shared_set.name"],
    where: [
      is("shared_criterion.type", "KEYWORD"),
      is("shared_set.type", "NEGATIVE_KEYWORDS"),
      isNot("shared_set.status", "REMOVED"),
    ],
    limit: NEGATIVES + 1,
  }),
};

function negativeOf(level: (typeof LEVELS)[number], row: AdsRow): FoundRow {
  const criterion = { ad_group: row.adGroupCriterion, campaign: row.campaignCriterion, shared_set: row.sharedCriterion }[level];
  const isOfCampaign = level !== "shared_set";
  const isOfAdGroup = level === "ad_group";
  const names = adGroupOf(row);
  return {
    raw: row,
    row: {
      level,
      keyword: criterion?.keyword?.text ?? "",
      match_type: criterion?.keyword?.matchType ?? null,
      criterion_id: idOf(criterion?.criterionId),
      campaign_id: isOfCampaign ? names.campaign_id : null,
      campaign_name: isOfCampaign ? campaignOf(row).campaign_name : null,
      ad_group_id: isOfAdGroup ? names.ad_group_id : null,
      ad_group_name: isOfAdGroup ? names.ad_group_name : null,
      shared_set_name: isOfCampaign ? null : (row.sharedSet?.name ?? null),
    },
    sums: null,
  };
}

export const negatives: ReadDeclaration = {
  path: "negatives",
  summary: "Read the negative keywords of an account",
  description: "Live from the provider: those of ad groups, then of campaigns, then of shared lists, without removed ones.",
  takes: [],
  ceiling: NEGATIVES,
  searched: ["keyword", "campaign_name", "ad_group_name", "shared_set_name"],
  hasTotals: false,
  async find(ask) {
    const found = await Promise.all(
      LEVELS.map(async (level) => (await ask(NEGATIVES_OF[level])).map((row) => negativeOf(level, row))),
    );
    return { rows: found.flat() };
  },
  extra: () => ({ levels: [...LEVELS] }),
};

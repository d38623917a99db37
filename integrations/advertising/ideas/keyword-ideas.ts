import { invalid } from "../../../core/errors/errors.ts";
import { input, integer, link, nullable, optional, type Static, Type, text } from "../../../core/schema/schema.ts";
import { AdsFailure, refusing } from "../../../mixins/google-ads/failure.ts";
import { adsAccess, askAds } from "../../../mixins/google-ads/transport.ts";
import { envelope } from "../envelope.ts";
import { amount, type Int64, whole } from "../reads/figures.ts";
import { visibleAccount } from "../visible-account.ts";

export const AdsKeywordIdeaRequest = input("AdsKeywordIdeaRequest", {
  keywords: optional(
    Type.Array(text(80), { maxItems: 20, default: [], description: "Words to start from; blank ones are ignored" }),
  ),
  url: optional(nullable({ ...link(2048), description: "A page to start from; required without words" })),
  geo_target_ids: optional(
    Type.Array(integer(1), {
      maxItems: 10,
      default: [],
      description: "The provider's ids of places; an empty list is everywhere",
    }),
  ),
  language_id: optional(nullable(integer(1, 2_147_483_647, { description: "The provider's id of a language; null is any" }))),
  limit: optional(nullable(integer(1, 1000, { description: "Most rows; 200 without it" }))),
});
export type KeywordIdeaRequest = Static<typeof AdsKeywordIdeaRequest>;

const USUAL_LIMIT = 200;

interface Idea {
  text?: string;
  keywordIdeaMetrics?: {
    avgMonthlySearches?: Int64;
    competition?: string;
    competitionIndex?: Int64;
    lowTopOfPageBidMicros?: Int64;
    highTopOfPageBidMicros?: Int64;
  };
}

const rowOf = ({ text, keywordIdeaMetrics: metrics = {} }: Idea) => ({
  keyword: text ?? "",
  avg_monthly_searches: Number(whole(metrics.avgMonthlySearches)),
  competition: metrics.competition ?? null,
  competition_index: Number(whole(metrics.competitionIndex)),
  low_top_of_page_bid: amount(metrics.lowTopOfPageBidMicros ?? 0),
  high_top_of_page_bid: amount(metrics.highTopOfPageBidMicros ?? 0),
});

/** The seed of a request for ideas. @throws 422 `errors.ads_platform_keyword_seed_required` */
function seedOf({ keywords = [], url }: KeywordIdeaRequest): Record<string, unknown> {
  const words = keywords.map((word) => word.trim()).filter((word) => word !== "");
  const page = url?.trim() ?? "";
  if (words.length > 0 && page !== "") return { keywordAndUrlSeed: { url: page, keywords: words } };
  if (words.length > 0) return { keywordSeed: { keywords: words } };
  if (page !== "") return { urlSeed: { url: page } };
  throw invalid({ keywords: "errors.ads_platform_keyword_seed_required" });
}

/** The body of a request for ideas. @throws 422 `errors.ads_platform_keyword_seed_required` */
export const ideasBody = (wanted: KeywordIdeaRequest): Record<string, unknown> => ({
  ...seedOf(wanted),
  ...(wanted.geo_target_ids?.length && {
    geoTargetConstants: wanted.geo_target_ids.map((id) => `geoTargetConstants/${id}`),
  }),
  ...(wanted.language_id != null && { language: `languageConstants/${wanted.language_id}` }),
  keywordPlanNetwork: "GOOGLE_SEARCH",
  pageSize: wanted.limit ?? USUAL_LIMIT,
});

/** The ideas in an answer. @throws AdsFailure if it is malformed */
function ideasIn({ results = [] }: Record<string, unknown>): Idea[] {
  if (!Array.isArray(results)) throw AdsFailure.unreadable(200, "the answer is not a list of ideas");
  return results as Idea[];
}

/** Keyword ideas from the provider. @throws ApiError */
export async function keywordIdeas(accountId: string, wanted: KeywordIdeaRequest) {
  const account = await visibleAccount(accountId);
  const json = ideasBody(wanted);
  const access = await adsAccess(account);
  const now = new Date().toISOString();
  const limit = wanted.limit ?? USUAL_LIMIT;
  const { rows, hasMore } = await refusing(async () => {
    const path = `/customers/${access.customerId}:generateKeywordIdeas`;
    const body = await askAds(access, { operation: "keyword_ideas.generate", path, json });
    const found = ideasIn(body);
    return { rows: found.slice(0, limit).map(rowOf), hasMore: found.length > limit || Boolean(body["nextPageToken"]) };
  });
  return {
    ...envelope(account, null, now),
    row_count: rows.length,
    total_rows: rows.length,
    offset: 0,
    warnings: [
      // A caller who sets a limit expects truncated rows.
      ...(hasMore && wanted.limit == null ? ["ads.warning.rows_truncated"] : []),
      "ads.warning.keyword_volume_is_estimated",
    ],
    totals: null,
    rows,
    extra: {},
  };
}

import { action } from "../../../core/declare/action.ts";
import { input, integer, link, nullable, optional, type Static, Type, text } from "../../../core/declare/schema.ts";
import { prepared } from "../../../core/request/context.ts";
import { service } from "../../../mixins/resource.ts";
import { CALLING } from "../reads/reading.ts";
import { AdsReport } from "../report-schemas.ts";
import { keywordIdeas } from "./keyword-ideas.ts";

const AdsKeywordIdeaRequest = input("AdsKeywordIdeaRequest", {
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

/** Keyword ideas (marketing-ads §3.6). */
export default service("ads_platform.ideas", {
  actions: {
    create: action({
      rest: "POST /ads-platform/accounts/:account_id/keyword-ideas",
      summary: "Ask the provider for keywords",
      description: "Live from the provider, in its order. Volumes are its estimates.",
      permission: "ads_platform.account.read",
      licenceExempt: "a read whose seeds need a body (marketing-ads §3.6)",
      body: AdsKeywordIdeaRequest,
      returns: AdsReport,
      status: 200,
      errors: [...CALLING, "validation"],
      timeout: 180_000,
      prepare: (ctx) => keywordIdeas(ctx.params.account_id, ctx.params.body),
      handler: async () => prepared<Static<typeof AdsReport>>(),
    }),
  },
});

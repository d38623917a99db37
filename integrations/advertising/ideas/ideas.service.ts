import { action } from "../../../core/declare/action.ts";
import { prepared } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { CALLING } from "../reads/reading.ts";
import { AdsReport } from "../report-schemas.ts";
import { AdsKeywordIdeaRequest, keywordIdeas } from "./keyword-ideas.ts";

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

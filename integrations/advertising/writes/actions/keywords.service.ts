import { action } from "../../../../core/declare/action.ts";
import { adsAccess } from "../../../../mixins/google-ads/transport.ts";
import { service } from "../../../../mixins/resource.ts";
import { currentKeywords } from "../gate/current.ts";
import { allowedOf, openAccount, send, type Written } from "../gate/gate.ts";
import { recorded } from "../gate/recorded.ts";
import { sentAmount } from "../requests/amounts.ts";
import { keywordsAdd, keywordsRemove, keywordUpdate } from "../requests/keyword-requests.ts";
import { requireFew } from "../requests/rules.ts";
import { ONCE, WRITES, writeErrors } from "./write-action.ts";
import { AdsKeywordsAdd, AdsKeywordsRemove, AdsKeywordUpdate } from "./write-schemas.ts";

const permission = "ads_platform.keyword.write";
const OF_KEYWORD = { resource: "ad_group_criterion", collection: "adGroupCriteria" } as const;

/** Keywords of an advertising account (marketing-ads §3.10). */
export default service("ads.keywords", {
  actions: {
    add: action({
      rest: "POST /ads-platform/accounts/:account_id/keywords",
      summary: "Add keywords to an ad group, paused",
      description: `Skips keywords with bids that the policy does not allow; a keyword that the provider refuses does not affect the others. ${ONCE}`,
      permission,
      body: AdsKeywordsAdd,
      ...WRITES,
      errors: writeErrors(),
      async prepare(ctx): Promise<Written> {
        const { ad_group_id, keywords, validate_only: validateOnly = false } = ctx.params.body;
        const opened = await openAccount(ctx.params.account_id);
        const wanted = keywords.map(({ cpc_bid, ...one }) => ({ ...one, cpc_bid: sentAmount(cpc_bid) }));
        const planned = keywordsAdd(opened.account.customer_id, ad_group_id, wanted);
        const write = { ...OF_KEYWORD, operation: "keywords.add", activity: "ads.keywords_added" };
        return send({ ...write, planned, isBatch: true, validateOnly }, opened);
      },
      handler: () => recorded(),
    }),

    update: action({
      rest: "PATCH /ads-platform/accounts/:account_id/keywords",
      summary: "Pause, resume or re-bid a keyword",
      description: ONCE,
      permission,
      body: AdsKeywordUpdate,
      ...WRITES,
      errors: writeErrors("ads_platform_bid_negative", "ads_platform_bid_over_ceiling"),
      async prepare(ctx): Promise<Written> {
        const { validate_only: validateOnly = false, cpc_bid, ...rest } = ctx.params.body;
        const body = { ...rest, cpc_bid: sentAmount(cpc_bid) };
        const opened = await openAccount(ctx.params.account_id);
        const { account } = opened;
        const write = { ...OF_KEYWORD, operation: "keywords.update", activity: "ads.keyword_changed", validateOnly };
        // The policy refuses a bid before the provider is called.
        allowedOf({ ...write, planned: [keywordUpdate(account.customer_id, body, new Map())] }, opened);
        const access = await adsAccess(account);
        const [parentId, ids] = [body.ad_group_id, [body.criterion_id]];
        const wanted = { level: "ad_group", parentId, ids, isNegative: false, field: "criterion_id" } as const;
        const planned = [keywordUpdate(account.customer_id, body, await currentKeywords(access, wanted))];
        return send({ ...write, planned }, opened, access);
      },
      handler: () => recorded(),
    }),

    remove: action({
      rest: "POST /ads-platform/accounts/:account_id/keywords/remove",
      summary: "Remove keywords from an ad group permanently",
      description: ONCE,
      permission,
      body: AdsKeywordsRemove,
      status: 200,
      ...WRITES,
      errors: writeErrors(),
      async prepare(ctx): Promise<Written> {
        const { ad_group_id, criterion_ids, validate_only: validateOnly = false } = ctx.params.body;
        const opened = await openAccount(ctx.params.account_id);
        const { account } = opened;
        requireFew(criterion_ids.length);
        const access = await adsAccess(account);
        const [parentId, ids] = [ad_group_id, criterion_ids];
        const wanted = { level: "ad_group", parentId, ids, isNegative: false, field: "criterion_ids" } as const;
        const now = await currentKeywords(access, wanted);
        const planned = keywordsRemove(account.customer_id, ad_group_id, criterion_ids, now);
        const write = { ...OF_KEYWORD, operation: "keywords.remove", activity: "ads.keywords_removed" };
        return send({ ...write, planned, isBatch: true, validateOnly }, opened, access);
      },
      handler: () => recorded(),
    }),
  },
});

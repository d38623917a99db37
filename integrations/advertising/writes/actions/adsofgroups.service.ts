import { action } from "../../../../core/declare/action.ts";
import { service } from "../../../../mixins/resource.ts";
import { openAccount, send, type Written } from "../gate/gate.ts";
import { recorded } from "../gate/recorded.ts";
import { adCreate, adRemove, adUpdate } from "../requests/campaign-requests.ts";
import { ONCE, WRITES, writeErrors } from "./write-action.ts";
import { AdsAdCreate, AdsAdUpdate, digits, removeQuery } from "./write-schemas.ts";

const permission = "ads_platform.campaign.write";
const OF_AD = { resource: "ad_group_ad", collection: "adGroupAds" } as const;

/** Ads of an advertising account (marketing-ads §3.10). */
export default service("ads.ads", {
  actions: {
    create: action({
      rest: "POST /ads-platform/accounts/:account_id/ads",
      summary: "Create a responsive search ad, paused",
      description: `The policy may ban phrases from its texts. ${ONCE}`,
      permission,
      body: AdsAdCreate,
      ...WRITES,
      errors: writeErrors("ads_platform_banned_phrase"),
      async prepare(ctx): Promise<Written> {
        const { validate_only: validateOnly = false, path1, path2, ...texts } = ctx.params.body;
        const opened = await openAccount(ctx.params.account_id);
        const body = { ...texts, path1: path1 ?? undefined, path2: path2 ?? undefined };
        const planned = [adCreate(opened.account.customer_id, body)];
        return send({ ...OF_AD, operation: "ads.create", activity: "ads.ad_created", planned, validateOnly }, opened);
      },
      handler: () => recorded(),
    }),

    update: action({
      rest: "PATCH /ads-platform/accounts/:account_id/ads",
      summary: "Pause or resume an ad",
      description: ONCE,
      permission,
      body: AdsAdUpdate,
      ...WRITES,
      errors: writeErrors(),
      async prepare(ctx): Promise<Written> {
        const { ad_group_id, ad_id, status, validate_only: validateOnly = false } = ctx.params.body;
        const opened = await openAccount(ctx.params.account_id);
        const planned = [adUpdate(opened.account.customer_id, ad_group_id, ad_id, status)];
        return send({ ...OF_AD, operation: "ads.update", activity: "ads.ad_changed", planned, validateOnly }, opened);
      },
      handler: () => recorded(),
    }),

    remove: action({
      rest: "DELETE /ads-platform/accounts/:account_id/ad-groups/:ad_group_id/ads/:ad_id",
      summary: "Remove an ad permanently",
      description: ONCE,
      permission,
      path: { ad_group_id: digits("Its ad group's id at the provider"), ad_id: digits("The ad's id at the provider") },
      query: removeQuery,
      ...WRITES,
      errors: writeErrors(),
      async prepare(ctx): Promise<Written> {
        const { account_id, ad_group_id, ad_id, validate_only: validateOnly = false } = ctx.params;
        const opened = await openAccount(account_id);
        const planned = [adRemove(opened.account.customer_id, ad_group_id, ad_id)];
        return send({ ...OF_AD, operation: "ads.remove", activity: "ads.ad_removed", planned, validateOnly }, opened);
      },
      handler: () => recorded(),
    }),
  },
});

import { action } from "../../../../core/declare/action.ts";
import { service } from "../../../../mixins/resource.ts";
import { openAccount, send, type Written } from "../gate/gate.ts";
import { recorded } from "../gate/recorded.ts";
import { sentAmount } from "../requests/amounts.ts";
import { adGroupCreate, adGroupRemove, adGroupUpdate } from "../requests/campaign-requests.ts";
import { ONCE, WRITES, writeErrors } from "./write-action.ts";
import { AdsAdGroupCreate, AdsAdGroupUpdate, digits, removeQuery } from "./write-schemas.ts";

const permission = "ads_platform.campaign.write";
const OF_AD_GROUP = { resource: "ad_group", collection: "adGroups" } as const;
const path = { ad_group_id: digits("The ad group's id at the provider") };
const BIDS = ["ads_platform_bid_negative", "ads_platform_bid_over_ceiling"];

/** Ad groups of an advertising account (marketing-ads §3.10). */
export default service("ads.adgroups", {
  actions: {
    create: action({
      rest: "POST /ads-platform/accounts/:account_id/ad-groups",
      summary: "Create an ad group, paused",
      description: ONCE,
      permission,
      body: AdsAdGroupCreate,
      ...WRITES,
      errors: writeErrors(...BIDS),
      async prepare(ctx): Promise<Written> {
        const { name, campaign_id, cpc_bid, validate_only: validateOnly = false } = ctx.params.body;
        const opened = await openAccount(ctx.params.account_id);
        const planned = [adGroupCreate(opened.account.customer_id, { name, campaign_id, cpc_bid: sentAmount(cpc_bid) })];
        const write = { ...OF_AD_GROUP, operation: "ad_groups.create", activity: "ads.ad_group_created" };
        return send({ ...write, planned, validateOnly }, opened);
      },
      handler: () => recorded(),
    }),

    update: action({
      rest: "PATCH /ads-platform/accounts/:account_id/ad-groups/:ad_group_id",
      summary: "Pause, resume, rename, re-bid or remove an ad group",
      description: ONCE,
      permission,
      path,
      body: AdsAdGroupUpdate,
      ...WRITES,
      errors: writeErrors(...BIDS),
      async prepare(ctx): Promise<Written> {
        const { account_id, ad_group_id, body } = ctx.params;
        const { validate_only: validateOnly = false, ...change } = body;
        const opened = await openAccount(account_id);
        const one = adGroupUpdate(opened.account.customer_id, ad_group_id, { ...change, cpc_bid: sentAmount(change.cpc_bid) });
        const activity = one.operation.remove === undefined ? "ads.ad_group_changed" : "ads.ad_group_removed";
        return send({ ...OF_AD_GROUP, operation: "ad_groups.update", activity, planned: [one], validateOnly }, opened);
      },
      handler: () => recorded(),
    }),

    remove: action({
      rest: "DELETE /ads-platform/accounts/:account_id/ad-groups/:ad_group_id",
      summary: "Remove an ad group permanently",
      description: `Removes its keywords and ads too. ${ONCE}`,
      permission,
      path,
      query: removeQuery,
      ...WRITES,
      errors: writeErrors(),
      async prepare(ctx): Promise<Written> {
        const { account_id, ad_group_id, validate_only: validateOnly = false } = ctx.params;
        const opened = await openAccount(account_id);
        const planned = [adGroupRemove(opened.account.customer_id, ad_group_id)];
        const write = { ...OF_AD_GROUP, operation: "ad_groups.remove", activity: "ads.ad_group_removed" };
        return send({ ...write, planned, validateOnly }, opened);
      },
      handler: () => recorded(),
    }),
  },
});

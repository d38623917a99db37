import { action } from "../../../../core/declare/action.ts";
import { service } from "../../../../mixins/resource.ts";
import { openAccount, send, type Written } from "../gate/gate.ts";
import { recorded } from "../gate/recorded.ts";
import { campaignCreate, campaignRemove, campaignUpdate } from "../requests/campaign-requests.ts";
import { ONCE, WRITES, writeErrors } from "./write-action.ts";
import { AdsCampaignCreate, AdsCampaignUpdate, digits, removeQuery } from "./write-schemas.ts";

const permission = "ads_platform.campaign.write";
const OF_CAMPAIGN = { resource: "campaign", collection: "campaigns" } as const;
const path = { campaign_id: digits("The campaign's id at the provider") };

/** Campaigns of an advertising account (marketing-ads §3.10). */
export default service("ads.campaigns", {
  actions: {
    create: action({
      rest: "POST /ads-platform/accounts/:account_id/campaigns",
      summary: "Create a search campaign, paused",
      description: `It spends an existing budget, once it is enabled. ${ONCE}`,
      permission,
      body: AdsCampaignCreate,
      ...WRITES,
      errors: writeErrors(),
      async prepare(ctx): Promise<Written> {
        const { name, budget_id, channel = "SEARCH", validate_only: validateOnly = false, ...flags } = ctx.params.body;
        const { target_content_network = false, eu_political_advertising = false } = flags;
        const opened = await openAccount(ctx.params.account_id);
        const body = { name, budget_id, channel, target_content_network, eu_political_advertising };
        const planned = [campaignCreate(opened.account.customer_id, body)];
        const write = { ...OF_CAMPAIGN, operation: "campaigns.create", activity: "ads.campaign_created" };
        return send({ ...write, planned, validateOnly }, opened);
      },
      handler: () => recorded(),
    }),

    update: action({
      rest: "PATCH /ads-platform/accounts/:account_id/campaigns/:campaign_id",
      summary: "Pause, resume, rename or remove a campaign",
      description: `To change its budget, change the budget itself. ${ONCE}`,
      permission,
      path,
      body: AdsCampaignUpdate,
      ...WRITES,
      errors: writeErrors(),
      async prepare(ctx): Promise<Written> {
        const { account_id, campaign_id, body } = ctx.params;
        const { validate_only: validateOnly = false, ...change } = body;
        const opened = await openAccount(account_id);
        const one = campaignUpdate(opened.account.customer_id, campaign_id, change);
        const activity = one.operation.remove === undefined ? "ads.campaign_changed" : "ads.campaign_removed";
        return send({ ...OF_CAMPAIGN, operation: "campaigns.update", activity, planned: [one], validateOnly }, opened);
      },
      handler: () => recorded(),
    }),

    remove: action({
      rest: "DELETE /ads-platform/accounts/:account_id/campaigns/:campaign_id",
      summary: "Remove a campaign permanently",
      description: `Its figures stay. ${ONCE}`,
      permission,
      path,
      query: removeQuery,
      ...WRITES,
      errors: writeErrors(),
      async prepare(ctx): Promise<Written> {
        const { account_id, campaign_id, validate_only: validateOnly = false } = ctx.params;
        const opened = await openAccount(account_id);
        const planned = [campaignRemove(opened.account.customer_id, campaign_id)];
        const write = { ...OF_CAMPAIGN, operation: "campaigns.remove", activity: "ads.campaign_removed" };
        return send({ ...write, planned, validateOnly }, opened);
      },
      handler: () => recorded(),
    }),
  },
});

import { action } from "../../../../core/declare/action.ts";
import { isApiError } from "../../../../core/errors/errors.ts";
import { type AdsAccess, adsAccess } from "../../../../mixins/google-ads/transport.ts";
import { service } from "../../../../mixins/resource.ts";
import { listName } from "../gate/current.ts";
import { type Opened, openAccount, send, type Written } from "../gate/gate.ts";
import { objectsOf } from "../gate/objects.ts";
import { recorded } from "../gate/recorded.ts";
import { negativeListAttach, negativeListCreate, negativeListRemove } from "../requests/keyword-requests.ts";
import { resourceName } from "../requests/operation.ts";
import { ONCE, WRITES, writeErrors } from "./write-action.ts";
import { AdsNegativeListCreate, digits, removeQuery } from "./write-schemas.ts";

const permission = "ads_platform.negative.write";
const OF_LIST = { resource: "shared_set", collection: "sharedSets" } as const;
const INCOMPLETE = "ads.warning.list_not_fully_attached";

/** Campaigns with their names at the provider; without names if it does not tell them, because the list must be attached anyway. */
async function namedCampaigns({ account }: Opened, access: AdsAccess, ids: readonly string[]) {
  const nameOf = (id: string) => resourceName(account.customer_id, "campaigns", id);
  const found = await objectsOf(access, "campaigns", ids.map(nameOf)).catch(() => new Map<string, { name?: unknown }>());
  return ids.map((id) => {
    const name = found.get(nameOf(id))?.["name"];
    return { id, name: typeof name === "string" ? name : null };
  });
}

/**
 * Attaches a new list to campaigns. The list exists already, so a failed attachment becomes a warning instead of an error (marketing-ads
 * §3.10).
 */
async function attach(made: Written, campaignIds: readonly string[], opened: Opened, access: AdsAccess): Promise<Written> {
  const { answer } = made;
  const name = answer.results[0]?.resource_name;
  if (!name) return made;
  const campaigns = await namedCampaigns(opened, access, campaignIds);
  const planned = negativeListAttach(opened.account.customer_id, name, campaigns);
  const requested = 1 + planned.length;
  const both = (results: typeof answer.results, warnings: readonly string[]) => {
    const all = [...answer.results, ...results];
    const isComplete = results.every(({ ok }) => ok);
    const noted = [...answer.warnings, ...warnings, ...(isComplete ? [] : [INCOMPLETE])];
    return { ...answer, requested, results: all, applied: all.filter(({ ok }) => ok).length, warnings: [...new Set(noted)] };
  };
  const write = {
    resource: "campaign_shared_set",
    collection: "campaignSharedSets" as const,
    operation: "negative_lists.attach",
    activity: "ads.negative_list_attached",
  };
  try {
    const attached = await send({ ...write, planned, isBatch: true, validateOnly: false }, opened);
    const { results, warnings } = attached.answer;
    return { answer: both(results, warnings), settled: [...made.settled, ...attached.settled] };
  } catch (error) {
    const code = isApiError(error) ? error.type : null;
    const refused = planned.map(({ index }) => ({ index, ok: false, resource_name: null, error_code: code, message: null }));
    return { answer: both(refused, []), settled: made.settled };
  }
}

/** Shared lists of negative keywords of an advertising account (marketing-ads §3.10). */
export default service("ads.negativelists", {
  actions: {
    create: action({
      rest: "POST /ads-platform/accounts/:account_id/negative-lists",
      summary: "Create a list of negative keywords and attach it to campaigns",
      description: `Creates the list first, then attaches it to the campaigns. A failure to attach is a warning, and \`results\` shows for which campaign: 0 is the list, 1 the first campaign. With \`validate_only\` it checks the list only. ${ONCE}`,
      permission,
      body: AdsNegativeListCreate,
      ...WRITES,
      errors: writeErrors(),
      async prepare(ctx): Promise<Written> {
        const { name, campaign_ids = [], validate_only: validateOnly = false } = ctx.params.body;
        const opened = await openAccount(ctx.params.account_id);
        const access = await adsAccess(opened.account);
        const write = { ...OF_LIST, operation: "negative_lists.create", activity: "ads.negative_list_created" };
        const made = await send({ ...write, planned: [negativeListCreate(name)], validateOnly }, opened, access);
        return validateOnly || campaign_ids.length === 0 ? made : attach(made, campaign_ids, opened, access);
      },
      handler: () => recorded(),
    }),

    remove: action({
      rest: "DELETE /ads-platform/accounts/:account_id/negative-lists/:shared_set_id",
      summary: "Remove a list of negative keywords permanently",
      description: `Its campaigns lose it. ${ONCE}`,
      permission,
      path: { shared_set_id: digits("The list's id at the provider") },
      query: removeQuery,
      ...WRITES,
      errors: writeErrors(),
      async prepare(ctx): Promise<Written> {
        const { account_id, shared_set_id, validate_only: validateOnly = false } = ctx.params;
        const opened = await openAccount(account_id);
        const access = await adsAccess(opened.account);
        const name = await listName(access, shared_set_id);
        const planned = [negativeListRemove(opened.account.customer_id, shared_set_id, name)];
        const write = { ...OF_LIST, operation: "negative_lists.remove", activity: "ads.negative_list_removed" };
        return send({ ...write, planned, validateOnly }, opened, access);
      },
      handler: () => recorded(),
    }),
  },
});

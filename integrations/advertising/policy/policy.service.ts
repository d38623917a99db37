import { lock } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { requireUnrestricted } from "../../../core/request/caller.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { resource } from "../../../mixins/resource.ts";
import { visibleAccount } from "../visible-account.ts";
import { changeLimits } from "./limits-lock.ts";
import { AdsPolicy, type AdsPolicyRow } from "./policy-model.ts";
import { shownPolicy, storedPolicies } from "./policy-rows.ts";
import { AdsPolicyRead, AdsPolicyWrite } from "./policy-schemas.ts";
import { dropPolicy, storePolicy, UNSAVED_VERSION } from "./policy-writes.ts";

const MERGES =
  "Omitted values stay, null inherits. Terms are trimmed, lower-cased and stored once each. The effective policy of an account is in `resolved`.";

async function shown(accountId: string | null): Promise<JsonText> {
  const stored = await storedPolicies(accountId);
  const own = accountId === null ? stored.house : stored.account;
  return new JsonText(JSON.stringify(shownPolicy(accountId, stored)), own?.version ?? UNSAVED_VERSION);
}

async function locked(accountId: string | null): Promise<AdsPolicyRow | null> {
  await changeLimits();
  const { house, account } = await storedPolicies(accountId);
  const own = accountId === null ? house : account;
  return own && ((await lock(AdsPolicy, own.id)) ?? null);
}

/** The policies of advertising: for all accounts, and for one account (marketing-ads §3.8). */
export default resource("ads.policy", {
  model: AdsPolicy,
  actions: {
    get: action({
      rest: "GET /ads-platform/policy",
      summary: "Read the policy of all advertising accounts",
      permission: "ads_platform.policy.manage",
      returns: AdsPolicyRead,
      handler: () => shown(null),
    }),

    replace: action({
      rest: "PUT /ads-platform/policy",
      summary: "Change the policy of all advertising accounts",
      description: MERGES,
      permission: "ads_platform.policy.manage",
      body: AdsPolicyWrite,
      returns: AdsPolicyRead,
      async handler(ctx) {
        // It limits accounts of clients that a restricted caller does not see (conventions §5).
        requireUnrestricted(ctx.meta.principal);
        storePolicy(null, await locked(null), ctx.params.body);
        return shown(null);
      },
    }),

    remove: action({
      rest: "DELETE /ads-platform/policy",
      summary: "Remove the policy of all advertising accounts",
      description: "The built-in limits apply again: a budget can double within 24 hours.",
      permission: "ads_platform.policy.manage",
      returns: AdsPolicyRead,
      async handler(ctx) {
        requireUnrestricted(ctx.meta.principal);
        dropPolicy(null, await locked(null));
        return shown(null);
      },
    }),

    getOfAccount: action({
      rest: "GET /ads-platform/accounts/:account_id/policy",
      summary: "Read the policy of an advertising account",
      permission: "ads_platform.policy.manage",
      returns: AdsPolicyRead,
      async handler(ctx) {
        await visibleAccount(ctx.params.account_id);
        return shown(ctx.params.account_id);
      },
    }),

    replaceOfAccount: action({
      rest: "PUT /ads-platform/accounts/:account_id/policy",
      summary: "Change the policy of an advertising account",
      description: MERGES,
      permission: "ads_platform.policy.manage",
      body: AdsPolicyWrite,
      returns: AdsPolicyRead,
      async handler(ctx) {
        const { id } = await visibleAccount(ctx.params.account_id);
        storePolicy(id, await locked(id), ctx.params.body);
        return shown(id);
      },
    }),

    removeOfAccount: action({
      rest: "DELETE /ads-platform/accounts/:account_id/policy",
      summary: "Remove the policy of an advertising account",
      description: "The organisation's policy applies to it again.",
      permission: "ads_platform.policy.manage",
      returns: AdsPolicyRead,
      async handler(ctx) {
        const { id } = await visibleAccount(ctx.params.account_id);
        dropPolicy(id, await locked(id));
        return shown(id);
      },
    }),
  },
});

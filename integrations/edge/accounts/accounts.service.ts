import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { givenSecret } from "../../../core/database/sealed.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { prepared } from "../../../core/request/context.ts";
import { list, type Static } from "../../../core/schema/schema.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { blankToNull } from "../../../core/values/text.ts";
import { accountName, requireAccountProvider } from "../../../mixins/account-fields.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { EdgeAccount, type EdgeAccountRow, GONE } from "../models.ts";
import { accessOf, storedAccount } from "../provider/account-access.ts";
import { EdgeAccountVerifyResult, verifiedValues, verifyAccount } from "../provider/verify.ts";
import { edgeSync, type SyncResult } from "../sync/sync.ts";
import { EdgeAccountSyncResult } from "../sync/sync-result.ts";
import { EdgeAccountCreate, EdgeAccountOption, EdgeAccountRead, EdgeAccountUpdate } from "./account-schemas.ts";

const shown = projection({
  model: EdgeAccount,
  schema: EdgeAccountRead,
  columns: {
    provider_name: "(select p.name from providers p where p.organisation_id = t.organisation_id and p.id = t.provider_id)",
    token_configured: "true",
    zone_count: `(select count(*)::int from edge_zones z
      where z.organisation_id = t.organisation_id and z.account_id = t.id and z.status <> '${GONE}')`,
  },
});
const ORDER = "t.name collate kantoor_text, t.id";
const accounts = rowsOf({ model: EdgeAccount, projection: shown, whole: { order: ORDER } });

/** The accounts as choices of another record. */
const options = rowsOf({
  model: EdgeAccount,
  projection: projection({ model: EdgeAccount, schema: EdgeAccountOption }),
  whole: { order: ORDER },
});

/** The state of an account after its token changed: unverified. */
const UNVERIFIED = {
  capabilities: {},
  capability_errors: {},
  last_verified_at: null,
  last_error: null,
  status: "active",
} as const;

/** The result of verifying a token, with the account as it was. */
interface Tried {
  asked: Pick<EdgeAccountRow, "api_token" | "edge_account_id">;
  verified: Static<typeof EdgeAccountVerifyResult>;
}

/** The accounts of an organisation at the edge provider (assets §6). */
export default resource("edge.accounts", {
  model: EdgeAccount,
  actions: {
    list: action({
      rest: "GET /edge/accounts",
      summary: "List the accounts at the edge provider",
      description: "Sorted by name, inactive ones included. No answer contains tokens.",
      permission: "edge.settings.manage",
      query: sinceQuery,
      returns: list(EdgeAccountRead),
      handler: ({ params: { updated_since } }) => accounts.all({ updated_since }),
    }),

    options: action({
      rest: "GET /edge/accounts/options",
      summary: "List the accounts that can be chosen from, by name",
      permission: "edge.dns.read",
      query: sinceQuery,
      returns: list(EdgeAccountOption),
      handler: ({ params: { updated_since } }) => options.all({ updated_since }),
    }),

    create: action({
      rest: "POST /edge/accounts",
      summary: "Add an account at the edge provider",
      description: "Does not call the provider. The token is stored encrypted, and no answer contains it.",
      permission: "edge.settings.manage",
      body: EdgeAccountCreate,
      example: { name: "Bureau", api_token: "example-token-of-forty-letters-0123456789", active: true },
      returns: EdgeAccountRead,
      errors: ["conflict"],
      async handler(ctx) {
        const { name, edge_account_id, provider_id, ...sent } = ctx.params.body;
        await requireAccountProvider(provider_id, "dns");
        const id = queueInsert(EdgeAccount, {
          ...sent,
          name: accountName(name),
          edge_account_id: blankToNull(edge_account_id ?? null),
          provider_id,
        });
        trail("edge_account", id, "created");
        return accounts.answerWith(id);
      },
    }),

    update: action({
      rest: "PATCH /edge/accounts/:account_id",
      summary: "Change an account, or replace its token",
      description: "Without a token the stored one stays. A new token clears the verification.",
      permission: "edge.settings.manage",
      body: EdgeAccountUpdate,
      example: { name: "Bureau en klanten" },
      returns: EdgeAccountRead,
      errors: ["conflict"],
      async handler(ctx) {
        const id = ctx.params.account_id;
        const before = await accounts.forWrite(id);
        const { api_token, name, edge_account_id, ...sent } = ctx.params.body;
        await requireAccountProvider(sent.provider_id, "dns");
        const given = {
          ...sent,
          ...(name !== undefined && { name: accountName(name) }),
          ...(edge_account_id !== undefined && { edge_account_id: blankToNull(edge_account_id) }),
        };
        const token = givenSecret(api_token);
        const changed = differences(before, given) ?? {};
        const renamed = "edge_account_id" in changed ? { edge_account_name: null } : {};
        if (token !== undefined || Object.keys(changed).length > 0)
          queueUpdate(EdgeAccount, id, {
            ...changed,
            ...renamed,
            ...(token !== undefined && { api_token: token, ...UNVERIFIED }),
          });
        const changes = changesOf(EdgeAccount.tracked, before, changed);
        if (Object.keys(changes).length > 0) trail("edge_account", id, "updated", { changes });
        if (token !== undefined) trail("edge_account", id, "edge.token_rotated");
        return accounts.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /edge/accounts/:account_id",
      summary: "Delete an account and the data read from it",
      description: "Changes nothing at the provider.",
      permission: "edge.settings.manage",
      async handler(ctx) {
        const id = ctx.params.account_id;
        const { name } = await accounts.forWrite(id);
        queueRemove(EdgeAccount, id);
        trail("edge_account", id, "edge.account_removed", { name });
      },
    }),

    verify: action({
      rest: "POST /edge/accounts/:account_id/verify",
      summary: "Verify the permissions of the token at the provider",
      description: "A refused token is an answer, with `ok` false and the provider's words.",
      permission: "edge.settings.manage",
      returns: EdgeAccountVerifyResult,
      status: 200,
      errors: ["edge_token_unreadable"],
      async prepare(ctx): Promise<Tried> {
        const account = await storedAccount(ctx.params.account_id);
        return { asked: account, verified: await verifyAccount(account) };
      },
      async handler(ctx) {
        const id = ctx.params.account_id;
        const { asked, verified } = prepared<Tried>();
        const { api_token, edge_account_id } = await accounts.forWrite(id);
        // If the token was replaced meanwhile, the result does not apply to the new one.
        if (api_token !== asked.api_token) return verified;
        const { edge_account_id: found, edge_account_name: name, ...values } = verifiedValues(verified);
        // Nor does the found account replace one that a member chose meanwhile.
        const isChosen = edge_account_id !== asked.edge_account_id;
        queueUpdate(EdgeAccount, id, isChosen ? values : { ...values, edge_account_id: found, edge_account_name: name });
        return verified;
      },
    }),

    sync: action({
      rest: "POST /edge/accounts/:account_id/sync",
      summary: "Read zones, static sites and registered domains from the provider",
      description: "Joins a sync that is under way. Zones are matched to domains by their apex; no domain is ever made.",
      permission: "edge.settings.manage",
      returns: EdgeAccountSyncResult,
      status: 200,
      errors: ["edge_token_unreadable", "unavailable"],
      async prepare(ctx): Promise<SyncResult> {
        const id = ctx.params.account_id;
        accessOf(await storedAccount(id));
        return edgeSync.join(id);
      },
      handler: async () => prepared<SyncResult>(),
    }),
  },
  jobs: edgeSync.jobs,
});

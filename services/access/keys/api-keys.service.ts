import { runtime } from "../../../core/config/runtime.ts";
import { sinceQuery } from "../../../core/database/lists/list.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { holds } from "../../../core/declare/permissions.ts";
import type { Principal } from "../../../core/declare/principal.ts";
import { forbidden, notFound } from "../../../core/errors/errors.ts";
import { list, readInstant } from "../../../core/schema/schema.ts";
import { REVOKE_LINE } from "../../../core/security/api-key.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource } from "../../../mixins/resource.ts";
import { audit } from "../audit.ts";
import { ApiKey } from "../models.ts";
import { createKey, requirePerson } from "./key-creation.ts";
import { KEY, KEYS_OF_PERSON } from "./key-projection.ts";
import { ApiKeyCreate, ApiKeyCreated, ApiKeyRead } from "./key-schemas.ts";

interface Owned {
  account_id: string | null;
}

const OWNER = statement("select account_id from api_keys where organisation_id = $1 and id = $2 for update");
const REVOKE = statement(`${REVOKE_LINE} select id, name, account_id from revoked`);

/**
 * Checks who may revoke a key (access §6.4): its person, or a holder of `apikeys.service_account.manage`.
 * @throws 403 for a service account's key, 404 for another person's key, which is private
 */
function requireRevocable({ account_id: owner }: Owned, principal: Principal | null): void {
  if (owner !== null && owner === principal?.accountId) return;
  if (holds(principal?.grants ?? [], "apikeys.service_account.manage")) return;
  throw owner === null ? forbidden() : notFound();
}

export default resource("api-keys", {
  model: ApiKey,
  actions: {
    list: action({
      rest: "GET /api-keys",
      summary: "List the caller's personal keys",
      description: "Newest first, revoked and expired ones included. Empty for service accounts.",
      permission: "apikeys.personal.manage",
      query: sinceQuery,
      returns: list(ApiKeyRead),
      async handler(ctx) {
        const { organisation, principal } = ctx.meta;
        const since = ctx.params.updated_since === undefined ? null : readInstant(ctx.params.updated_since);
        const place = [organisation.id, principal?.accountId ?? null, runtime().config.keyPrefix, since];
        const row = await queryOne<{ items: string }>(KEYS_OF_PERSON, place);
        return new JsonText(row?.items ?? "[]");
      },
    }),

    create: action({
      rest: "POST /api-keys",
      summary: "Create a personal key",
      description:
        "Only this answer contains the key's value, in `secret`. A key created with a key has at most that key's scopes, never outlives it and is revoked with it.",
      permission: "apikeys.personal.manage",
      body: ApiKeyCreate,
      example: { name: "Clients to the newsletter", scopes: ["companies.company.read"] },
      returns: ApiKeyCreated,
      oneTime: true,
      errors: ["forbidden errors.apikey_scope_exceeds_grants"],
      handler: async (ctx) => createKey({ accountId: requirePerson(ctx.meta.principal) }, ctx.params.body),
    }),

    revoke: action({
      rest: "POST /api-keys/:key_id/revoke",
      summary: "Revoke a key permanently",
      description: "Takes effect on the next request, for the key and all keys created with it. A repeat changes nothing.",
      permission: "apikeys.personal.manage",
      returns: ApiKeyRead,
      status: 200,
      async handler(ctx) {
        const { organisation, principal } = ctx.meta;
        const place = [organisation.id, ctx.params.key_id];
        const owned = await queryOne<Owned>(OWNER, place);
        if (!owned) throw notFound();
        requireRevocable(owned, principal);
        const revoked = await query<{ id: string; name: string; account_id: string | null }>(REVOKE, place);
        for (const { id, name, account_id } of revoked)
          audit("api_key.revoke", { targetAccountId: account_id, detail: { id, name } });
        const row = await queryOne<{ body: string }>(KEY, [...place, runtime().config.keyPrefix]);
        return new JsonText(row?.body as string);
      },
    }),
  },
});

import { runtime } from "../../../core/config/runtime.ts";
import { sinceQuery } from "../../../core/database/lists/list.ts";
import { jsonArray, projection } from "../../../core/database/projection.ts";
import { queryAll, queryOne } from "../../../core/database/query.ts";
import { queueInsert, queueRemove } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { list, readInstant } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { audit } from "../audit.ts";
import { ServiceAccount } from "../models.ts";
import { createKey, requirePerson } from "./key-creation.ts";
import { KEYS_OF_SERVICE_ACCOUNT, keyColumns, NEWEST_FIRST } from "./key-projection.ts";
import { ApiKeyCreate, ApiKeyCreated, ApiKeyRead, ServiceAccountCreate, ServiceAccountRead } from "./key-schemas.ts";

const OWN_COLUMNS = { active: "t.is_active", created_by_user_id: "t.created_by_account_id" };
const accounts = rowsOf({
  model: ServiceAccount,
  // Only a new account is projected alone, and it has no keys yet.
  projection: projection({
    model: ServiceAccount,
    schema: ServiceAccountRead,
    columns: { ...OWN_COLUMNS, keys: "'[]'::json" },
  }),
});

const listed = projection({
  model: ServiceAccount,
  schema: ServiceAccountRead,
  columns: { ...OWN_COLUMNS, keys: "held.keys" },
  joins: `left join lateral (select coalesce(json_agg(h), '[]') as keys from (
    select ${keyColumns("$3")} from api_keys k where k.organisation_id = t.organisation_id and k.service_account_id = t.id
     order by ${NEWEST_FIRST}) h) held on true`,
});
// A new or revoked key counts as a change of its account.
const LIST = statement(
  `select ${jsonArray(
    `${listed.rows("service_accounts")} where t.organisation_id = $1 and ($2::timestamptz is null or t.updated_at >= $2::timestamptz
     or exists (select 1 from api_keys c where c.organisation_id = t.organisation_id and c.service_account_id = t.id
                   and c.updated_at >= $2::timestamptz))
   order by t.name collate kantoor_text, t.id`,
  )} as items`,
);
const EXISTS = statement("select 1 as found from service_accounts where organisation_id = $1 and id = $2");
// Locked until the key exists: a deletion waits and then includes the key.
const KEEP = statement("select 1 as found from service_accounts where organisation_id = $1 and id = $2 for key share");

export default resource("service-accounts", {
  model: ServiceAccount,
  actions: {
    list: action({
      rest: "GET /service-accounts",
      summary: "List service accounts by name, each with its keys",
      permission: "apikeys.service_account.manage",
      query: sinceQuery,
      returns: list(ServiceAccountRead),
      async handler(ctx) {
        const since = ctx.params.updated_since === undefined ? null : readInstant(ctx.params.updated_since);
        const row = await queryOne<{ items: string }>(LIST, [ctx.meta.organisation.id, since, runtime().config.keyPrefix]);
        return new JsonText(row?.items ?? "[]");
      },
    }),

    create: action({
      rest: "POST /service-accounts",
      summary: "Create a service account",
      description: "It sees every client, so a caller with a restricted view cannot create one.",
      permission: "apikeys.service_account.manage",
      everyClient: true,
      body: ServiceAccountCreate,
      returns: ServiceAccountRead,
      handler(ctx) {
        const { principal } = ctx.meta;
        const { name } = ctx.params.body;
        const id = queueInsert(ServiceAccount, { name, created_by_account_id: principal?.accountId ?? null });
        audit("service_account.create", { detail: { id, name } });
        return accounts.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /service-accounts/:account_id",
      summary: "Delete a service account with its keys",
      description: "Its keys are refused from the next request on; its name stays on past actions.",
      permission: "apikeys.service_account.manage",
      async handler(ctx) {
        const id = ctx.params.account_id;
        const { name } = await accounts.forWrite(id);
        queueRemove(ServiceAccount, id);
        audit("service_account.delete", { detail: { id, name } });
      },
    }),

    keys: action({
      rest: "GET /service-accounts/:account_id/keys",
      summary: "List the keys of a service account",
      permission: "apikeys.service_account.manage",
      query: sinceQuery,
      returns: list(ApiKeyRead),
      async handler(ctx) {
        const since = ctx.params.updated_since === undefined ? null : readInstant(ctx.params.updated_since);
        const place = [ctx.meta.organisation.id, ctx.params.account_id];
        const [found, rows] = await queryAll(
          [EXISTS, place],
          [KEYS_OF_SERVICE_ACCOUNT, [...place, runtime().config.keyPrefix, since]],
        );
        if (found?.length === 0) throw notFound();
        return new JsonText((rows?.[0]?.["items"] as string | undefined) ?? "[]");
      },
    }),

    createKey: action({
      rest: "POST /service-accounts/:account_id/keys",
      summary: "Create a key for a service account",
      description:
        "Only this answer contains the key's value, in `secret`. It has exactly its scopes, and the caller must have each of them.",
      permission: "apikeys.service_account.manage",
      everyClient: true,
      body: ApiKeyCreate,
      example: { name: "Clients to the newsletter", scopes: ["companies.company.read"] },
      returns: ApiKeyCreated,
      oneTime: true,
      errors: ["forbidden errors.apikey_scope_exceeds_grants"],
      async handler(ctx) {
        const { organisation, principal } = ctx.meta;
        requirePerson(principal);
        const id = ctx.params.account_id;
        return createKey({ serviceAccountId: id }, ctx.params.body, async () => {
          if (!(await queryOne(KEEP, [organisation.id, id]))) throw notFound();
        });
      },
    }),
  },
});

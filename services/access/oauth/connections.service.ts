import { sinceQuery } from "../../../core/database/lists/list.ts";
import { jsonArray } from "../../../core/database/projection.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { holds } from "../../../core/declare/permissions.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { list, readInstant } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { OAuthConnectionRead } from "./oauth-schemas.ts";
import { auditEnd, endSessions } from "./sessions.ts";

const SESSIONS = "api_keys k where k.organisation_id = $1 and k.oauth_client_id = c.id and k.account_id = $2";
/** A session is live while its access token is valid or a refresh token can renew it. */
const LIVE = `k.revoked_at is null and (k.expires_at > statement_timestamp() or exists (select from oauth_refresh_tokens r
      where r.organisation_id = k.organisation_id and r.key_id = k.id and r.rotated_at is null and r.expires_at > statement_timestamp()))`;
const LIST = statement(
  `select ${jsonArray(`
  select c.id, c.name as client_name, c.client_uri, a.created_at, (select max(k.last_used_at) from ${SESSIONS}) as last_used_at,
    (select count(*) from ${SESSIONS} and ${LIVE}) as sessions
    from oauth_approvals a join oauth_clients c on c.organisation_id = a.organisation_id and c.id = a.client_id
   where a.organisation_id = $1 and a.account_id = $2 and c.revoked_at is null
     and ($3::timestamptz is null or greatest(a.updated_at, c.updated_at) >= $3::timestamptz)
   order by a.created_at desc, c.id desc`)} as items`,
);
const FIND = statement(`select c.is_document, exists (select from oauth_approvals a
      where a.organisation_id = c.organisation_id and a.client_id = c.id and a.account_id = $3) as is_approved
  from oauth_clients c where c.organisation_id = $1 and c.id = $2 and c.revoked_at is null for no key update of c`);
const REVOKE = statement(
  "update oauth_clients set revoked_at = now(), updated_at = now() where organisation_id = $1 and id = $2",
);
const FORGET = statement("delete from oauth_approvals where organisation_id = $1 and client_id = $2 and account_id = $3");
/** Otherwise an unredeemed code could still start a session. */
const VOID = statement(
  "delete from oauth_codes where organisation_id = $1 and client_id = $2 and account_id = $3 and redeemed_at is null",
);

/** A connection exists or not: it has no other state for an entity tag. */
const ONLY_STATE = 1;

/** The clients that people have approved (access §8.5). */
export default service("oauth.connections", {
  actions: {
    list: action({
      rest: "GET /oauth/connections",
      summary: "List the clients the caller has approved, newest first",
      permission: "apikeys.personal.manage",
      query: sinceQuery,
      returns: list(OAuthConnectionRead),
      async handler(ctx) {
        const { organisation, principal } = ctx.meta;
        const since = ctx.params.updated_since === undefined ? null : readInstant(ctx.params.updated_since);
        const row = await queryOne<{ items: string }>(LIST, [organisation.id, principal?.accountId ?? null, since]);
        return new JsonText(row?.items ?? "[]");
      },
    }),

    remove: action({
      rest: "DELETE /oauth/connections/:client_pk",
      summary: "Disconnect a client",
      description:
        "Ends everything it issued, for all people, permanently. The connection of a metadata document belongs to one person: only the caller's own sessions end, and a later consent creates it again.",
      permission: "apikeys.personal.manage",
      async handler(ctx) {
        const { organisation, principal } = ctx.meta;
        const clientId = ctx.params.client_pk;
        const accountId = principal?.accountId ?? null;
        const place = [organisation.id, clientId];
        const found = await queryOne<{ is_document: boolean; is_approved: boolean }>(FIND, [...place, accountId]);
        const mayEnd =
          found?.is_approved || (!found?.is_document && holds(principal?.grants ?? [], "apikeys.service_account.manage"));
        if (!found || !mayEnd) throw notFound();
        requireMatch(ONLY_STATE);
        if (found.is_document) {
          enqueue(FORGET, [...place, accountId]);
          enqueue(VOID, [...place, accountId]);
        } else enqueue(REVOKE, place);
        const whose = found.is_document ? accountId : null;
        await auditEnd("connection", clientId, whose, await endSessions({ clientId, accountId: whose }));
      },
    }),
  },
});

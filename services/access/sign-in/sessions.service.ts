import { sinceQuery } from "../../../core/database/lists/list.ts";
import { jsonArray } from "../../../core/database/projection.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { setGrantCookie, setSessionCookie } from "../../../core/http/session-cookie.ts";
import { request } from "../../../core/request/context.ts";
import { list, readInstant } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource } from "../../../mixins/resource.ts";
import { Session } from "../models.ts";
import { callerOf } from "../own-session.ts";
import { endImpersonation } from "../portal/impersonation.ts";
import { SessionRead } from "./sign-in-schemas.ts";

const LIVE = "s.organisation_id = $1 and s.account_id = $2 and s.ended_at is null and s.expires_at > now()";
const LIST = statement(
  `select ${jsonArray(`
  select s.id, s.created_at, s.last_used_at, s.expires_at, s.address, s.user_agent, s.method, s.id = $3 as current
    from sessions s where ${LIVE} and ($4::timestamptz is null or s.last_used_at >= $4::timestamptz) order by s.last_used_at desc, s.id`)} as items`,
);
const END = statement(`update sessions s set ended_at = now() where ${LIVE} and s.id = $3 returning s.id`);

/** A session exists or not: it has no other state for an entity tag. */
const ONLY_STATE = 1;
const OWN = "concerns only the caller's own sessions";

export default resource("auth.sessions", {
  model: Session,
  actions: {
    list: openAction({
      rest: "GET /auth/sessions",
      summary: "List your live sessions in this organisation, newest use first",
      open: OWN,
      needs: "session",
      query: sinceQuery,
      returns: list(SessionRead),
      async handler(ctx) {
        const { accountId, sessionId } = callerOf(ctx.meta.principal);
        const since = ctx.params.updated_since === undefined ? null : readInstant(ctx.params.updated_since);
        const row = await queryOne<{ items: string }>(LIST, [ctx.meta.organisation.id, accountId, sessionId, since]);
        return new JsonText(row?.items ?? "[]");
      },
    }),

    end: openAction({
      rest: "DELETE /auth/sessions/:session_id",
      summary: "End one of your sessions; ending the current one signs you out",
      open: OWN,
      needs: "session",
      async handler(ctx) {
        const { accountId, sessionId } = callerOf(ctx.meta.principal);
        const id = ctx.params.session_id;
        await endImpersonation(accountId, id);
        const ended = await query(END, [ctx.meta.organisation.id, accountId, id]);
        if (ended.length === 0) throw notFound();
        requireMatch(ONLY_STATE);
        if (id === sessionId) request().headers["Set-Cookie"] = [setSessionCookie("", 0), setGrantCookie("", 0)];
      },
    }),
  },
});

import { sinceQuery } from "../../../core/database/lists/list.ts";
import { enqueue } from "../../../core/database/query.ts";
import { differences, lock, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { invalid, notFound } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { list, readInstant } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { resource } from "../../../mixins/resource.ts";
import { UptimeInstance, type UptimeInstanceRow } from "../models.ts";
import { storedInstance } from "../sessions/stored-instance.ts";
import { readBaseUrl } from "./base-url.ts";
import { type Enrolled, enrolAt } from "./enrolling.ts";
import { instanceDetail, instancesSince } from "./instance-rows.ts";
import {
  UptimeEnrolment,
  UptimeEnrolmentResult,
  UptimeInstanceCreate,
  UptimeInstanceDetail,
  UptimeInstanceRead,
  UptimeInstanceUpdate,
} from "./instance-schemas.ts";
import { newHookSecret } from "./webhook-token.ts";

const KIND = "uptime_instance";
const RETRACK = statement("delete from uptime_untracked where organisation_id = $1 and instance_id = $2");

/** Locks the instance for a write and checks `If-Match`. @throws 404, 412 */
async function forWrite(id: string): Promise<UptimeInstanceRow> {
  const row = await lock(UptimeInstance, id);
  if (!row) throw notFound();
  requireMatch(row.version);
  return row;
}

/** A trimmed name. @throws 422 for a blank one */
function nameOf(typed: string): string {
  const name = typed.trim();
  if (name === "") throw invalid({ name: "errors.required" });
  return name;
}

/** The uptime servers of an organisation (workspace-reporting §5, "Instance"). */
export default resource("uptime.instances", {
  model: UptimeInstance,
  actions: {
    list: action({
      rest: "GET /uptime/instances",
      summary: "List the uptime servers",
      description: "Sorted by name, inactive ones included. No answer contains tokens, passwords or header values.",
      permission: "uptime.instance.manage",
      query: sinceQuery,
      returns: list(UptimeInstanceRead),
      handler: ({ params: { updated_since: since } }) => instancesSince(since === undefined ? null : readInstant(since)),
    }),

    create: action({
      rest: "POST /uptime/instances",
      summary: "Add an uptime server",
      description: "The server is not called; its name is only looked up. A managed one is enrolled next.",
      permission: "uptime.instance.manage",
      body: UptimeInstanceCreate,
      returns: UptimeInstanceDetail,
      errors: ["conflict", "validation_error errors.uptime_base_url_required", "validation errors.uptime_invalid_url"],
      prepare: ({ params: { body } }) => readBaseUrl(body.mode ?? "managed", body.base_url),
      async handler(ctx) {
        const { name, mode = "managed", ssl_verify, active } = ctx.params.body;
        const values = { name: nameOf(name), mode, base_url: prepared<string | null>(), ssl_verify, active };
        const id = queueInsert(UptimeInstance, { ...values, hook_secret: newHookSecret() });
        trail(KIND, id, "created");
        return instanceDetail(id);
      },
    }),

    get: action({
      rest: "GET /uptime/instances/:instance_id",
      summary: "Read one uptime server, with its webhook address",
      permission: "uptime.instance.manage",
      returns: UptimeInstanceDetail,
      handler: (ctx) => instanceDetail(ctx.params.instance_id),
    }),

    update: action({
      rest: "PATCH /uptime/instances/:instance_id",
      summary: "Change an uptime server",
      description:
        "The mode stays. A new address removes the token and the headers of a managed server, which must be enrolled again. A sent `base_url`, `ssl_verify` or `active` ends an open session.",
      permission: "uptime.instance.manage",
      body: UptimeInstanceUpdate,
      returns: UptimeInstanceDetail,
      errors: ["conflict", "validation_error errors.uptime_base_url_required", "validation errors.uptime_invalid_url"],
      async prepare(ctx) {
        const { body, instance_id: id } = ctx.params;
        const { mode } = await storedInstance(id);
        const base_url = body.base_url === undefined ? undefined : await readBaseUrl(mode, body.base_url);
        if (["base_url", "ssl_verify", "active"].some((field) => field in body))
          await ctx.call("uptime.sessions.end", { instance_id: id });
        return { base_url };
      },
      async handler(ctx) {
        const id = ctx.params.instance_id;
        const before = await forWrite(id);
        const { name, ssl_verify, active } = ctx.params.body;
        const { base_url } = prepared<{ base_url?: string | null }>();
        const sent = { ...(name !== undefined && { name: nameOf(name) }), base_url, ssl_verify, active };
        const changed = differences(before, sent);
        if (!changed) return instanceDetail(id);
        const isElsewhere = changed.base_url !== undefined && before.mode === "managed";
        // Never send the secrets of one server to another.
        const forgotten = { token: null, connect_headers: null, enrolled_at: null, server_version: null, last_error: null };
        queueUpdate(UptimeInstance, id, { ...changed, ...(isElsewhere && { ...forgotten, status: "pending" as const }) });
        trail(KIND, id, "updated", { changes: changesOf(UptimeInstance.tracked, before, changed) });
        return instanceDetail(id);
      },
    }),

    remove: action({
      rest: "DELETE /uptime/instances/:instance_id",
      summary: "Delete an uptime server with its monitors and their heartbeats",
      description: "Changes nothing at the server.",
      permission: "uptime.instance.manage",
      async prepare(ctx) {
        const { id } = await storedInstance(ctx.params.instance_id);
        await ctx.call("uptime.sessions.end", { instance_id: id });
      },
      async handler(ctx) {
        const id = ctx.params.instance_id;
        const { name } = await forWrite(id);
        queueRemove(UptimeInstance, id);
        trail(KIND, id, "deleted", { name });
      },
    }),

    enrol: action({
      rest: "POST /uptime/instances/:instance_id/enrol",
      summary: "Sign in at a managed uptime server",
      description:
        "Signs in once and stores the token from the server. A refusal is an answer, with its key in `error`. At most one login a minute per server; a login that only lacked the one-time code does not count.",
      permission: "uptime.instance.manage",
      body: UptimeEnrolment,
      returns: UptimeEnrolmentResult,
      status: 200,
      errors: ["validation_error errors.uptime_linked_instance", "validation_error errors.uptime_instance_inactive"],
      acts: "outside",
      prepare: (ctx): Promise<Enrolled> => enrolAt(ctx, ctx.params.instance_id, ctx.params.body),
      async handler(ctx) {
        const id = ctx.params.instance_id;
        const { result, token, headers, base_url } = prepared<Enrolled>();
        if (token === null) return result;
        const before = await forWrite(id);
        // If the address changed meanwhile, the token does not belong to it and is not stored.
        if (before.base_url !== base_url) return { ...result, ok: false, server_version: null, error: "errors.uptime_failed" };
        const stored = headers === undefined ? {} : { connect_headers: headers };
        queueUpdate(UptimeInstance, id, {
          token,
          ...stored,
          status: "active",
          last_error: null,
          enrolled_at: new Date().toISOString(),
        });
        trail(KIND, id, "uptime.enrolled");
        return result;
      },
    }),

    rotateHook: action({
      rest: "POST /uptime/instances/:instance_id/webhook",
      verb: "rotate",
      summary: "Replace the webhook address of an uptime server",
      description: "Deliveries to the address before are 404 from then on.",
      permission: "uptime.instance.manage",
      returns: UptimeInstanceDetail,
      status: 200,
      async handler(ctx) {
        const id = ctx.params.instance_id;
        await forWrite(id);
        queueUpdate(UptimeInstance, id, { hook_secret: newHookSecret() });
        trail(KIND, id, "uptime.webhook_rotated");
        return instanceDetail(id);
      },
    }),

    retrack: action({
      rest: "DELETE /uptime/instances/:instance_id/untracked",
      summary: "Track monitors again that were deleted only here",
      description: "The next sync adds those monitors again, where the server still has them.",
      permission: "uptime.instance.manage",
      async handler(ctx) {
        const id = ctx.params.instance_id;
        await forWrite(id);
        enqueue(RETRACK, [request().organisation.id, id]);
        queueUpdate(UptimeInstance, id, {});
        trail(KIND, id, "uptime.retracked");
      },
    }),
  },
});

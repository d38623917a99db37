import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { forbidden } from "../../../core/errors/errors.ts";
import { requireTag } from "../../../core/http/etag.ts";
import { callerId } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { answer, choice, flag, input, nullable, optional, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { ENTITY_TYPES } from "../preferences/event-kinds.ts";

const WATCH = { watching: "`true`: follow the record; `false`: mute it; null: get only the events that name you" };

const WatchRead = answer("WatchRead", { watching: nullable(flag()) }, WATCH);
const WatchUpdate = input(
  "WatchUpdate",
  {
    entity_type: choice(ENTITY_TYPES),
    entity_id: uuid(),
    watching: optional(nullable(flag())),
  },
  { ...WATCH, entity_type: "Kind of the record", entity_id: "The record; the service does not check that it exists" },
);

const OWN = "organisation_id = $1 and entity_type = $2 and entity_id = $3 and account_id = $4";
const READ = statement(`select watching from notification_watches where ${OWN}`);
const FORGET = statement(`delete from notification_watches where ${OWN}`);
const CHOOSE = statement(`insert into notification_watches (organisation_id, entity_type, entity_id, account_id, watching)
  values ($1, $2, $3, $4, $5) on conflict (organisation_id, entity_id, entity_type, account_id) do update set watching = excluded.watching`);

const TAKE_TURNS = statement(
  "select pg_advisory_xact_lock(hashtextextended('watch ' || $1::uuid || $2 || $3::uuid || $4::uuid, 0))",
);

const watchingOf = async (place: readonly unknown[]) => (await queryOne<{ watching: boolean }>(READ, place))?.watching ?? null;

/** The answer. The choice itself is the tag, because a record without one has no row. */
function shown(watching: boolean | null) {
  request().headers["ETag"] = tagOf(watching);
  return { watching };
}
const tagOf = (watching: boolean | null): string => `"${watching}"`;

/** Compares the stored choice with `If-Match`. @throws 412 */
async function requireUnchanged(place: readonly unknown[]): Promise<void> {
  if (request().ifMatch === null) return;
  await query(TAKE_TURNS, place);
  requireTag(tagOf(await watchingOf(place)));
}

/** The records that the caller follows or mutes (platform chapter §5.3). The service does not check that they exist. */
export default service("notifications.watches", {
  actions: {
    read: action({
      rest: "GET /notifications/watch",
      summary: "Read whether you follow a record",
      description: "True, or false for muted, as you chose; null without a choice: you then get the events that name you.",
      permission: "notifications.notification.read",
      query: { entity_type: choice(ENTITY_TYPES), entity_id: uuid() },
      returns: WatchRead,
      async handler(ctx) {
        const { entity_type, entity_id } = ctx.params;
        const place = [ctx.meta.organisation.id, entity_type, entity_id, callerId()];
        return shown(await watchingOf(place));
      },
    }),

    update: action({
      rest: "PUT /notifications/watch",
      summary: "Follow a record, mute it, or get only the events that name you (null)",
      permission: "notifications.notification.write",
      body: WatchUpdate,
      returns: WatchRead,
      async handler(ctx) {
        const { entity_type, entity_id, watching = null } = ctx.params.body;
        const account = callerId();
        if (account === null) throw forbidden();
        const place = [ctx.meta.organisation.id, entity_type, entity_id, account];
        await requireUnchanged(place);
        if (watching === null) enqueue(FORGET, place);
        else enqueue(CHOOSE, [...place, watching]);
        return shown(watching);
      },
    }),
  },
});

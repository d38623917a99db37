import { sinceQuery } from "../../../core/database/lists/list.ts";
import { jsonArray } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { forbidden, isApiError } from "../../../core/errors/errors.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { answer, choice, instant, json, list, nullable, optional, readInstant, Type, uuid } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { ENTITY_TYPES } from "../preferences/event-kinds.ts";

const NotificationActivityItem = answer(
  "NotificationActivityItem",
  {
    id: uuid(),
    event_type: Type.String(),
    entity_type: Type.String(),
    entity_id: uuid(),
    actor_name: nullable(Type.String()),
    payload: json({ default: {} }),
    created_at: instant(),
  },
  {
    event_type: "Kind of the event, such as `task.assigned`",
    entity_id: "The record",
    actor_name: "Full name of who acted; null for the system",
    payload: "Facts of the event at its time, such as `title`, `from` and `to`",
    created_at: "When it happened, UTC",
  },
);

const FEED = statement(
  `select ${jsonArray(`select id, event_type, entity_type, entity_id, actor_name, payload, created_at from notification_events
    where organisation_id = $1 and entity_type = $2 and entity_id = $3 and ($5::timestamptz is null or created_at >= $5::timestamptz)
    order by created_at desc, id desc limit $4`)} as items`,
);
const NONE = new JsonText("[]");

/** The events of a record, regardless of who was notified (platform chapter §5.3). */
export default service("notifications.activity", {
  actions: {
    list: action({
      rest: "GET /notifications/activity",
      summary: "What happened to a record, newest first",
      description: "Also needs the record's own read permission. Empty for a record outside of the caller's view.",
      permission: "notifications.notification.read",
      query: {
        entity_type: choice(ENTITY_TYPES),
        entity_id: uuid(),
        limit: optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
        ...sinceQuery,
      },
      returns: list(NotificationActivityItem),
      async handler(ctx) {
        const { entity_type: type, entity_id: id, limit = 20, updated_since: since } = ctx.params;
        const { organisation, principal } = ctx.meta;
        const { readers, seen } = catalogue().records.get(type) ?? {};
        if (!readers || !mayCaller(readers.permission)) throw forbidden();
        if (principal?.isClientLogin) return NONE;
        const isPersonal = readers.own !== undefined && !mayCaller(`${readers.permission}:any`);
        if (readers.own === "person" && isPersonal && id.toLowerCase() !== principal?.accountId) return NONE;
        // Without a selection every record is visible, except personal ones and pending messages.
        if (seen && (principal?.selection || isPersonal || type === "interaction")) {
          const [name, parameter] = seen;
          const found = await ctx.call(name, { [parameter]: id }).catch((error: unknown) => {
            if (isApiError(error) && error.code === 404) return null;
            throw error;
          });
          if (!found) return NONE;
        }
        const values = [organisation.id, type, id, limit, since === undefined ? null : readInstant(since)];
        return new JsonText((await queryOne<{ items: string }>(FEED, values))?.items ?? "[]");
      },
    }),
  },
});

import { listQuery } from "../../../core/database/lists/list.ts";
import { queryOne } from "../../../core/database/query.ts";
import { lock, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { callerId, NO_PERSON } from "../../../core/request/caller.ts";
import { page } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource } from "../../../mixins/resource.ts";
import { Notification } from "../models.ts";
import { inboxListing, inboxPage, notifications, VISIBLE } from "./inbox-rows.ts";
import { inboxFilters, MarkAllResult, NotificationRead, ReadUpdate, UnreadCount } from "./notification-schemas.ts";

const READ = "notifications.notification.read";
const WRITE = "notifications.notification.write";

const UNREAD = statement(`select json_build_object('count', count(*))::text as body from notifications t
  where t.organisation_id = $1 and t.account_id = $2 and t.read_at is null and ${VISIBLE}`);
const MARK_ALL = statement(`with marked as (
    update notifications t set read_at = statement_timestamp(), version = t.version + 1, updated_at = statement_timestamp()
     where t.organisation_id = $1 and t.account_id = $2 and t.read_at is null and ${VISIBLE} returning 1)
  select count(*)::int as updated from marked`);

const { q: _unsearchable, ...paging } = listQuery(inboxListing.spec.sorts);

/** The caller's own inbox (platform chapter §5.3). */
export default resource("notifications", {
  model: Notification,
  actions: {
    list: action({
      rest: "GET /notifications",
      summary: "List your inbox, newest first",
      description: "The list shows a row from its `visible_at` on. With `count=false` the total is 0.",
      permission: READ,
      query: { ...paging, ...inboxFilters },
      returns: page(NotificationRead),
      handler: (ctx) => inboxPage(ctx.params),
    }),

    unread: action({
      rest: "GET /notifications/unread-count",
      summary: "Count the unread rows of your inbox",
      permission: READ,
      returns: UnreadCount,
      async handler(ctx) {
        const found = await queryOne<{ body: string }>(UNREAD, [ctx.meta.organisation.id, callerId() ?? NO_PERSON]);
        return new JsonText(found?.body ?? '{"count": 0}');
      },
    }),

    markAllRead: action({
      rest: "POST /notifications/mark-all-read",
      summary: "Mark all rows of your inbox read",
      permission: WRITE,
      status: 200,
      returns: MarkAllResult,
      async handler(ctx) {
        const found = await queryOne<{ updated: number }>(MARK_ALL, [ctx.meta.organisation.id, callerId() ?? NO_PERSON]);
        return { updated: found?.updated ?? 0 };
      },
    }),

    update: action({
      rest: "PATCH /notifications/:notification_id",
      summary: "Mark a row of your inbox read, or unread again",
      permission: WRITE,
      body: ReadUpdate,
      returns: NotificationRead,
      async handler(ctx) {
        const { notification_id: id, body } = ctx.params;
        const row = await lock(Notification, id, `t.account_id = $3 and ${VISIBLE}`, [callerId() ?? NO_PERSON]);
        if (!row) throw notFound();
        requireMatch(row.version);
        if (body.read !== (row.read_at !== null))
          queueUpdate(Notification, id, { read_at: body.read ? new Date().toISOString() : null });
        return notifications.answerWith(id);
      },
    }),
  },
});

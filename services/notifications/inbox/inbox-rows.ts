import { LIST_DEFAULTS, type ListQuery, listing } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { query } from "../../../core/database/query.ts";
import { callerId, NO_PERSON } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { nextCursor } from "../../../core/request/walk.ts";
import { type JsonText, pageText } from "../../../core/sql/json-text.ts";
import type { TextRow } from "../../../core/sql/statement.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { Notification } from "../models.ts";
import { NotificationRead } from "./notification-schemas.ts";

/** A row counts only once it is visible (platform chapter §5.3). */
export const VISIBLE = "t.visible_at <= statement_timestamp()";

const shown = projection({
  model: Notification,
  schema: NotificationRead,
  columns: { actor_name: "v.actor_name", payload: "v.payload" },
  joins: "join notification_events v on v.organisation_id = t.organisation_id and v.id = t.event_id",
});

/** Always queried with the filter `account`: indexes exist per inbox, and no list spans all of them. */
export const inboxListing = listing(
  {
    table: "notifications",
    order: "-created_at",
    sorts: { created_at: { by: "t.created_at" } },
    filters: {
      account: { type: "uuid", when: (slot) => `t.account_id = ${slot} and ${VISIBLE}` },
      // Two explicit conditions, so that the index of unread rows serves the first.
      unread: { type: "boolean", when: (slot) => `${slot} and t.read_at is null` },
      read: { type: "boolean", when: (slot) => `${slot} and t.read_at is not null` },
      entity_type: { type: "text", when: (slot) => `t.entity_type = ${slot}` },
    },
  },
  shown,
);

export const notifications = rowsOf({ model: Notification, projection: shown, listing: inboxListing });

/** The query of an inbox page. */
export type InboxQuery = Omit<ListQuery, "q"> & { unread?: boolean; entity_type?: string };

/**
 * A page of the caller's inbox; without `count` its total is 0 (platform chapter §5.3).
 * @throws 400 `invalid_sort`
 */
export async function inboxPage(asked: InboxQuery): Promise<JsonText> {
  const { limit = LIST_DEFAULTS.limit, offset = LIST_DEFAULTS.offset, count = LIST_DEFAULTS.count } = asked;
  const { unread, entity_type, sort, updated_since } = asked;
  const filters = {
    account: callerId() ?? NO_PERSON,
    unread: unread === true ? true : undefined,
    read: unread === false ? true : undefined,
    entity_type,
  };
  const { organisation, walk } = request();
  const wanted = { limit, offset, count, sort, updated_since, filters, after: walk?.after, selection: null };
  const { bound, read } = inboxListing.page(organisation.id, wanted);
  const { items, total, last } = read(await query<TextRow>(...bound));
  return pageText({ items, total: count ? total : 0, limit, offset, next: nextCursor(walk, last) });
}

import { instant, integer, json, nullable, Type, uuid } from "../../../core/declare/schema.ts";

/** A row of an inbox, as its list shows it. */
export const InboxRow = Type.Object({
  id: uuid(),
  event_type: Type.String(),
  entity_type: Type.String(),
  entity_id: uuid(),
  actor_name: nullable(Type.String()),
  payload: json(),
  read_at: nullable(instant()),
  visible_at: instant(),
  created_at: instant(),
});

/** What the stream of an inbox sends: each row when it becomes visible, and how many are unread, at first and whenever that changes. */
export const InboxEvents = { notification: InboxRow, unread: Type.Object({ count: integer(0) }) };

import { instant, integer, json, nullable, Type, uuid } from "../../../core/declare/schema.ts";

/** A row of an inbox, as in its list. */
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

/** Events of an inbox stream: each row when it becomes visible, and the unread count, at first and after each change. */
export const InboxEvents = { notification: InboxRow, unread: Type.Object({ count: integer(0) }) };

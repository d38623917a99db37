import {
  answer,
  choice,
  flag,
  input,
  instant,
  integer,
  json,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../core/declare/schema.ts";

/** The kinds of records an inbox is asked for; unfiltered it may hold others. */
export const INBOX_ENTITIES = ["task", "project", "company", "leave_request", "timesheet"] as const;

export const NotificationRead = answer("NotificationRead", {
  id: uuid(),
  event_type: Type.String(),
  entity_type: choice(INBOX_ENTITIES, { "x-enumSource": "spec-text" }),
  entity_id: uuid(),
  actor_name: nullable(Type.String()),
  payload: json({ default: {} }),
  read_at: nullable(instant()),
  visible_at: instant(),
  created_at: instant(),
});
export const ReadUpdate = input("ReadUpdate", { read: flag() });
export const MarkAllResult = answer("MarkAllResult", { updated: integer(0) });
export const UnreadCount = answer("UnreadCount", { count: integer(0) });

/** The query parameters of the inbox beside those of every list. */
export const inboxFilters = { unread: optional(flag()), entity_type: optional(choice(INBOX_ENTITIES)) };

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
} from "../../../core/schema/schema.ts";

/** The record kinds an inbox can filter by; unfiltered it may show others. */
export const INBOX_ENTITIES = ["task", "project", "company", "leave_request", "timesheet"] as const;

export const NotificationRead = answer(
  "NotificationRead",
  {
    id: uuid(),
    event_type: Type.String(),
    entity_type: Type.String(),
    entity_id: uuid(),
    actor_name: nullable(Type.String()),
    payload: json({ default: {} }),
    read_at: nullable(instant()),
    visible_at: instant(),
    created_at: instant(),
  },
  {
    event_type: "Kind of the event, such as `task.assigned`",
    entity_type:
      "Kind of the record: `task`, `project`, `company`, `leave_request`, `timesheet`, or another kind that an event concerns, such as `interaction` or `report`",
    entity_id: "The record",
    actor_name: "Full name of the person who acted; null for the system",
    payload: "Facts of the event at its time, such as `title`, `from` and `to`",
    read_at: "When the person marked it read, UTC; null while unread",
    visible_at: "When it appeared in the inbox, UTC; later than `created_at` if it was bundled",
    created_at: "When the event happened, UTC",
  },
);
export const ReadUpdate = input("ReadUpdate", { read: flag() }, { read: "`true` marks it read, `false` unread" });
export const MarkAllResult = answer(
  "MarkAllResult",
  { updated: integer(0) },
  { updated: "Number of notifications that were marked read" },
);
export const UnreadCount = answer("UnreadCount", { count: integer(0) }, { count: "Number of unread notifications in the inbox" });

/** The inbox's query parameters, in addition to those of every list. */
export const inboxFilters = { unread: optional(flag()), entity_type: optional(choice(INBOX_ENTITIES)) };

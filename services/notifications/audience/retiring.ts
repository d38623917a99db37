import { enqueue } from "../../../core/database/query.ts";
import type { Hook } from "../../../core/declare/hooks.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { EmittedEvent } from "./occasions.ts";

// Looked up per record: a plan made while the table was small would scan everything unread in the organisation.
// A message that is still to be sent is obsolete, too, whether or not its recipient has read the inbox row.
const RETIRE = statement(`with unsent as (
    update notification_deliveries s set status = 'failed', error = 'errors.notification_obsolete', finished_at = statement_timestamp(),
        updated_at = statement_timestamp()
      from unnest($2::uuid[], $3::text[], $4::text[]) d(entity_id, event_type, entity_type)
     cross join lateral (select v.id from notification_events v where v.organisation_id = $1 and v.entity_type = d.entity_type
        and v.entity_id = d.entity_id and v.event_type = d.event_type offset 0) v
     cross join lateral (select w.id from notification_deliveries w where w.organisation_id = $1 and w.event_id = v.id
        and w.status = 'pending' offset 0) w
     where s.organisation_id = $1 and s.id = w.id and s.status = 'pending')
  update notifications n set read_at = statement_timestamp(), version = n.version + 1, updated_at = statement_timestamp()
  from unnest($2::uuid[], $3::text[]) d(entity_id, event_type) cross join lateral (select u.id from notifications u
    where u.organisation_id = $1 and u.entity_id = d.entity_id and u.event_type = d.event_type and u.read_at is null offset 0) u
  where n.organisation_id = $1 and n.id = u.id and n.read_at is null`);

/** Earlier events that a later event of the same record makes obsolete (platform chapter §5.2). */
const OBSOLETE: Readonly<Record<string, readonly string[]>> = {
  "leave.approved": ["leave.requested"],
  "leave.rejected": ["leave.requested"],
  "leave.cancelled": ["leave.requested"],
  "interaction.approved": ["interactions.email_pending"],
  "interaction.rejected": ["interactions.email_pending"],
};
const REMINDERS = ["task.due_soon", "task.overdue"];

/** An obsolete event: its record and its name. */
export interface ObsoleteEvent {
  readonly entityType: string;
  readonly entityId: string;
  readonly event: string;
}

/** The events made obsolete by the recorded ones. */
export function obsoleteAfter(recorded: readonly EmittedEvent[]): ObsoleteEvent[] {
  return recorded.flatMap(({ name, entityType, entityId, payload }) => {
    const isFinished = name === "task.status_changed" && payload["finished"] === true;
    return (isFinished ? REMINDERS : (OBSOLETE[name] ?? [])).map((event) => ({ entityType, entityId, event }));
  });
}

/** Marks inbox rows of obsolete events read for every recipient, and drops their unsent messages; runs with the commit. */
export function retire(obsolete: readonly ObsoleteEvent[]): void {
  if (obsolete.length === 0) return;
  const events = obsolete.map(({ event }) => event);
  const types = obsolete.map(({ entityType }) => entityType);
  enqueue(RETIRE, [request().organisation.id, obsolete.map(({ entityId }) => entityId), events, types]);
}

/** Withdrawn leave needs no decision: retires its approvers' notifications (people chapter §13). */
export const retireWithdrawn: Hook<"leave.withdrawn"> = async ({ leave_request_ids }) =>
  retire(leave_request_ids.map((entityId) => ({ entityType: "leave_request", entityId, event: "leave.requested" })));

/** A deleted or postponed task is not due: retires its reminders. */
export const retireReminders: Hook<"task.date_dropped"> = async ({ task_id: entityId }) =>
  retire(REMINDERS.map((event) => ({ entityType: "task", entityId, event })));

/** A deleted message waits for no review: retires its owner's notification. */
export const retireDiscarded: Hook<"interaction.discarded"> = async ({ interaction_id: entityId }) =>
  retire([{ entityType: "interaction", entityId, event: "interactions.email_pending" }]);

import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { choice, date, list, nullable, Type, uuid } from "../../core/declare/schema.ts";

const leave = {
  leave_request_id: uuid(),
  user_id: uuid(),
  leave_type_id: uuid(),
  start_date: date(),
  end_date: date(),
  start_time: nullable(Type.String()),
  end_time: nullable(Type.String()),
  hours: Type.String(),
  recipients: list(uuid()),
};
const leaveDays = {
  days: list(Type.Object({ date: date(), hours: Type.String(), reason: nullable(Type.String()) })),
};
const availability = {
  availability_id: uuid(),
  user_id: uuid(),
  kind: choice(["extra", "unavailable"]),
  date: date(),
  start_time: nullable(Type.String()),
  end_time: nullable(Type.String()),
  repeat_weeks: nullable(Type.Integer()),
  repeat_until: nullable(date()),
  pair_id: nullable(uuid()),
};

/** What happens to leave, and to exceptions of a working week. */
export const leaveEvents = {
  "leave.requested": event("leave_request", "Leave waits for a decision. Recipients: those who may decide.", leave),
  "leave.approved": event(
    "leave_request",
    "Leave was approved, or placed as approved. Recipients: who asked, when somebody decided.",
    { ...leave, ...leaveDays },
  ),
  "leave.rejected": event("leave_request", "Leave was rejected. Recipients: who asked.", leave),
  "leave.cancelled": event("leave_request", "Approved leave was cancelled.", leave),
  "leave.updated": event("leave_request", "The window of approved leave changed in place.", { ...leave, ...leaveDays }),
  "availability.saved": event("availability", "An exception to a working week was written.", availability),
  "availability.gone": event("availability", "An exception to a working week is about to be deleted.", availability),
};

declare module "../../core/declare/effects.ts" {
  interface EffectPayloads {
    /** Requests that waited for a decision were cancelled. */
    "leave.withdrawn": { leave_request_ids: readonly string[] };
  }
}

declare module "../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof leaveEvents> {}
}

import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { namedValues } from "../../core/naming/named-values.ts";
import { described } from "../../core/schema/fields.ts";
import { choice, date, list, nullable, Type, uuid } from "../../core/schema/schema.ts";

const LEAVE = {
  leave_request_id: "The leave request",
  user_id: "The person on leave",
  leave_type_id: "The kind of leave",
  start_date: "First day",
  end_date: "Last day",
  start_time: "Start on the first day, on the organisation's clock; null for the start of the working day",
  end_time: "End on the last day, on the organisation's clock; null for the end of the working day",
  hours: "Hours it costs",
};
const DAY = {
  date: "The day",
  hours: "Hours of leave on the day",
  reason: "Why the day has no hours: `not_scheduled`, `holiday` or `outside_hours`; null if it has some",
};
const AVAILABILITY = {
  availability_id: "The exception",
  user_id: "The person whose working week it changes",
  kind: "`extra`: works in addition to the working week; `unavailable`: does not work",
  date: "First day it applies to",
  start_time: "Start on the organisation's clock; null for the start of the day",
  end_time: "End on the organisation's clock; null for the end of the day",
  repeat_weeks: "Number of weeks between two days it applies to; null for `date` alone",
  repeat_until: "Last day of the repetition; null for no end",
  pair_id: "Id that the two halves of a move share; null for other rows",
};
const leave = described(
  {
    leave_request_id: uuid(),
    user_id: uuid(),
    leave_type_id: uuid(),
    start_date: date(),
    end_date: date(),
    start_time: nullable(Type.String()),
    end_time: nullable(Type.String()),
    hours: Type.String(),
    recipients: list(uuid()),
  },
  LEAVE,
);
const leaveDays = {
  days: {
    ...list(Type.Object(described({ date: date(), hours: Type.String(), reason: nullable(Type.String()) }, DAY))),
    description: "The leave day by day",
  },
};
const availability = described(
  {
    availability_id: uuid(),
    user_id: uuid(),
    kind: choice(namedValues("AvailabilityKind", ["extra", "unavailable"])),
    date: date(),
    start_time: nullable(Type.String()),
    end_time: nullable(Type.String()),
    repeat_weeks: nullable(Type.Integer()),
    repeat_until: nullable(date()),
    pair_id: nullable(uuid()),
  },
  AVAILABILITY,
);

/** Events of leave and of exceptions to a working week. */
export const leaveEvents = {
  "leave.requested": event("leave_request", "Leave waits for a decision. Recipients: the approvers.", leave),
  "leave.approved": event(
    "leave_request",
    "Leave was approved, or placed as approved. Recipients: the requester, if an approver decided.",
    { ...leave, ...leaveDays },
  ),
  "leave.rejected": event("leave_request", "Leave was rejected. Recipients: the requester.", leave),
  "leave.cancelled": event("leave_request", "Approved leave was cancelled.", leave),
  "leave.updated": event("leave_request", "The window or the type of approved leave changed in place.", {
    ...leave,
    ...leaveDays,
  }),
  "leave.type_renamed": event(
    "leave_type",
    "The label of a type of leave changed.",
    {
      leave_type_id: uuid(),
    },
    { texts: { leave_type_id: "The type of leave" } },
  ),
  "availability.saved": event("availability", "An exception to a working week was written.", availability),
  "availability.gone": event("availability", "An exception to a working week is about to be deleted.", availability),
};

declare module "../../core/declare/hooks.ts" {
  interface HookPayloads {
    /** Pending requests were cancelled. */
    "leave.withdrawn": { leave_request_ids: readonly string[] };
  }
}

declare module "../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof leaveEvents> {}
}

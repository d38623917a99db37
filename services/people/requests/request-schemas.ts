import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  flag,
  input,
  instant,
  list,
  neverNull,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";
import { note, sentWindow } from "../sent.ts";
import { REQUEST_STATUSES } from "./status.ts";
import { MAX_OVERRIDE_HOURS } from "./transitions.ts";

const REQUEST = {
  user_id: "The person on leave. Null or absent in a body, the caller; another person requires `leave.request.write:any`",
  leave_type_id: "Kind of leave; it must be active for a new request",
  status: "`pending`, `approved`, `rejected` or `cancelled`. The first two occupy their days and the balance",
  start_date: "First day",
  end_date: "Last day, not before the first",
  start_time: "Start on the first day, on the organisation's clock; null for the start of the working day",
  end_time: "End on the last day, on the organisation's clock; null for the end of the working day",
  hours: "Hours it costs: the agreed number where there is one, else computed from working week and holidays when it was written",
  hours_override:
    "Number of hours agreed by an approver, instead of the computed one; null if none. Sending it requires `leave.request.approve`",
  hours_override_by_user_id: "Who agreed `hours_override`; null without it",
  note: "Note of the requester; null if none",
  recurring_day_id: "The pattern that placed it; null if none",
  decided_by_user_id: "Who decided last; null without a decision, as with leave that needs no approval",
  decided_at: "When it was last decided, UTC; null without a decision",
  decision_note: "Note on the last decision; null if none",
  resubmitted_at: "When a change of approved leave made it wait again, UTC; null otherwise",
};

const clock = () => nullable(Type.String());
const override = () => nullable(decimalInput({ exclusiveMinimum: 0, maximum: MAX_OVERRIDE_HOURS, decimalPlaces: null }));

export const LeaveRequestRead = answer(
  "LeaveRequestRead",
  {
    id: uuid(),
    org_id: uuid(),
    user_id: uuid(),
    leave_type_id: uuid(),
    status: choice(REQUEST_STATUSES),
    start_date: date(),
    end_date: date(),
    start_time: clock(),
    end_time: clock(),
    hours: decimal(),
    hours_override: nullable(decimal()),
    hours_override_by_user_id: nullable(uuid()),
    note: note(),
    recurring_day_id: nullable(uuid()),
    decided_by_user_id: nullable(uuid()),
    decided_at: nullable(instant()),
    decision_note: note(),
    resubmitted_at: nullable(instant()),
    created_at: instant(),
    updated_at: instant(),
  },
  REQUEST,
);

export const LeaveRequestCreate = input(
  "LeaveRequestCreate",
  {
    leave_type_id: uuid(),
    start_date: date(),
    end_date: date(),
    ...sentWindow,
    user_id: optional(nullable(uuid())),
    hours_override: optional(override()),
    note: optional(note()),
  },
  REQUEST,
);

export const LeaveRequestUpdate = input(
  "LeaveRequestUpdate",
  {
    leave_type_id: optional(neverNull(nullable(uuid()))),
    start_date: optional(neverNull(nullable(date()))),
    end_date: optional(neverNull(nullable(date()))),
    ...sentWindow,
    hours_override: optional(override()),
    note: optional(note()),
  },
  REQUEST,
);

export const LeaveRequestDecision = input(
  "LeaveRequestDecision",
  { approved: Type.Boolean(), note: optional(note()) },
  { approved: "`true` approves, `false` rejects", note: "Note on the decision for the requester; null if none" },
);

export const LeaveRequestPreview = input(
  "LeaveRequestPreview",
  {
    start_date: date(),
    end_date: date(),
    ...sentWindow,
    user_id: optional(nullable(uuid())),
    leave_type_id: optional(nullable(uuid())),
    request_id: optional(nullable(uuid())),
  },
  {
    ...REQUEST,
    user_id: "The person; the caller where it is null or not sent",
    leave_type_id: "Leave type; null if none, and then without a balance",
    request_id: "A request that is being edited: the balance is computed as if it did not exist; null if none",
  },
);

/** The hours of one day of leave, and the reason if there are none. */
export const LeaveDayHours = answer(
  "LeaveDayHours",
  { date: date(), hours: decimal(), reason: nullable(Type.String()) },
  {
    date: "The day",
    hours: "Hours of leave on the day, rounded separately",
    reason: "Why the day has no hours: `not_scheduled`, `holiday` or `outside_hours`; null if it has some",
  },
);

export const LeavePreviewResult = answer(
  "LeavePreviewResult",
  {
    hours: decimal(),
    days: decimal(),
    breakdown: list(LeaveDayHours),
    remaining_hours: nullable(decimal()),
    touches_past: flag(false),
    requires_approval: flag(false),
  },
  {
    hours: "Hours of the span, as a request would store them",
    days: "`hours` divided by the average day of the week in force on `start_date`",
    breakdown: "The span day by day",
    remaining_hours:
      "Hours that remain in the year of the start, for the whole balance group of the type; null for a type without a balance",
    touches_past: "Whether the start, or the start of the edited request, is before today in the organisation's zone",
    requires_approval: "Whether such a request waits for a decision",
  },
);

export const TeamLeaveItem = answer(
  "TeamLeaveItem",
  {
    id: uuid(),
    user_id: uuid(),
    user_name: Type.String(),
    leave_type_id: uuid(),
    status: choice(REQUEST_STATUSES),
    start_date: date(),
    end_date: date(),
    start_time: clock(),
    end_time: clock(),
    resolved_start_time: clock(),
    resolved_end_time: clock(),
    hours: decimal(),
    days: list(LeaveDayHours),
    starts_at: nullable(instant()),
    ends_at: nullable(instant()),
  },
  {
    ...REQUEST,
    id: "The request",
    resolved_start_time: "Start on the organisation's clock, as it was fixed when the span was written; null for whole-day leave",
    resolved_end_time: "End on the organisation's clock, as it was fixed when the span was written; null for whole-day leave",
    hours: "Hours of the request",
    days: "Those hours by day; their sum is `hours`",
    starts_at:
      "Start of leave of one day, with the offset of the organisation's zone; null for several days and on an unscheduled day",
    ends_at:
      "End of leave of one day, with the offset of the organisation's zone; null for several days and on an unscheduled day",
  },
);

export const LeaveSummary = answer(
  "LeaveSummary",
  {
    year: Type.Integer(),
    remaining_hours: decimal(),
    hours_per_week: decimal(),
    hours_per_day: decimal(),
    pending_count: Type.Integer(),
    next_leave_id: nullable(uuid()),
    next_leave_start: nullable(date()),
    next_leave_end: nullable(date()),
  },
  {
    year: "Today's year in the organisation's zone",
    remaining_hours: "Hours that remain in the year over all types with a balance, free time excepted",
    hours_per_week: "Hours of the working week in force today",
    hours_per_day: "Average hours of its working days",
    pending_count: "Number of the caller's pending requests",
    next_leave_id: "The caller's next approved request that has not ended; null if none",
    next_leave_start: "Its first day; null if none",
    next_leave_end: "Its last day; null if none",
  },
);

/** The link of a calendar feed, returned once. */
export const LeaveCalendarToken = answer(
  "LeaveCalendarToken",
  { token: Type.String(), url: Type.String() },
  {
    token: "The secret in the link. No other answer contains it; a new one replaces it",
    url: "Address to subscribe to in a calendar program",
  },
);

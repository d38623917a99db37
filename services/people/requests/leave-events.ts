import type { DecimalInput } from "../../../core/values/money.ts";
import { type Hours, hoursText } from "../working-time/hours.ts";
import type { Span, SpanCost } from "../working-time/span-cost.ts";
import { type LeaveDay, layOut } from "../working-time/team-layout.ts";
import type { LeaveEvent } from "./transitions.ts";

/** The payload of every leave request event (people chapter §13). */
export interface LeavePayload extends Span {
  readonly leave_request_id: string;
  readonly user_id: string;
  readonly leave_type_id: string;
  readonly hours: Hours;
  /** Per day, on `leave.approved` and `leave.updated` only. */
  readonly days?: readonly LeaveDay[];
}

/** The recipients of an event, never the actor (people chapter §13). */
export type Notified = "approvers" | "requester" | "nobody";

/** The recipients of an event: approvers for a pending request, the requester for a decision, else no one (§13). */
export function notifiedBy(event: LeaveEvent, decided: boolean): Notified {
  if (event === "leave.requested") return "approvers";
  return decided && (event === "leave.approved" || event === "leave.rejected") ? "requester" : "nobody";
}

/** A stored request as event payloads need it. */
export interface EventRequest extends Span {
  readonly id: string;
  readonly user_id: string;
  readonly leave_type_id: string;
  readonly hours: DecimalInput;
}

/** The payload of a leave event; `cost` is the span's price today (people chapter §13, "Leave payload"). */
export function leavePayload(event: LeaveEvent, request: EventRequest, cost: SpanCost): LeavePayload {
  const { id, user_id, leave_type_id, start_date, end_date, start_time, end_time } = request;
  const payload = {
    leave_request_id: id,
    user_id,
    leave_type_id,
    start_date,
    end_date,
    start_time,
    end_time,
    hours: hoursText(request.hours),
  };
  const detailed = event === "leave.approved" || event === "leave.updated";
  return detailed ? { ...payload, days: layOut(request.hours, cost) } : payload;
}

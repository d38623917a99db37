import { type IsoDate, minutesOfTime, timeOfMinutes } from "../../../core/calendar/calendar.ts";
import type { DecimalInput } from "../../../core/values/money.ts";
import { reaches } from "../../../core/values/scope.ts";
import type { LeaveType } from "../leave-types.ts";
import { actsAsApprover, mayBackdate } from "../powers.ts";
import { DECIDED, type Decision, FORBIDDEN, invalid, NOT_FOUND, PAST_LOCKED, refuse } from "../refusal.ts";
import { sameHours } from "../working-time/hours.ts";
import type { ResolvedWindow, Span } from "../working-time/span-cost.ts";
import { isPast, occupies, type RequestStatus } from "./status.ts";
import {
  type HoursOverride,
  type LeaveCalendar,
  type LeaveCase,
  overrideRefusal,
  type PricedSpan,
  priceDecision,
} from "./transitions.ts";

/** A stored request as editing sees it. */
export interface EditedRequest extends Span, ResolvedWindow {
  readonly id: string;
  readonly leave_type_id: string;
  readonly status: RequestStatus;
  readonly hours: DecimalInput;
  readonly hours_override: DecimalInput | null;
  readonly hours_override_by_user_id: string | null;
}

/** The fields of a PATCH; an absent key is undefined. Nulls on fields that cannot be cleared were refused earlier. */
export interface RequestPatch {
  readonly start_date?: IsoDate;
  readonly end_date?: IsoDate;
  readonly start_time?: string | null;
  readonly end_time?: string | null;
  readonly hours_override?: DecimalInput | null;
  readonly note?: string | null;
}

/** The request's type after the edit. */
export type EditedType = Pick<LeaveType, "id" | "active" | "requires_approval">;

/** A request after an edit. */
export interface Edited extends PricedSpan {
  readonly span: Span;
  readonly status: "pending" | "approved";
  /** Approved leave returns to pending: decision fields are cleared, `resubmitted_at` is now, approvers are notified. */
  readonly bounced: boolean;
  readonly event: "leave.requested" | "leave.updated" | null;
}

/** A wall-clock time as stored: without seconds. */
export function withoutSeconds(time: string | null): string | null {
  return time === null ? null : timeOfMinutes(minutesOfTime(time));
}

/** The requested span without seconds; an absent bound is the edge of the day. */
export function askedSpan(asked: Pick<Span, "start_date" | "end_date"> & Pick<RequestPatch, "start_time" | "end_time">): Span {
  const { start_date, end_date, start_time = null, end_time = null } = asked;
  return { start_date, end_date, start_time: withoutSeconds(start_time), end_time: withoutSeconds(end_time) };
}

/** The span after the edit, without seconds. */
export function editedSpan(request: Span, patch: RequestPatch): Span {
  return {
    start_date: patch.start_date ?? request.start_date,
    end_date: patch.end_date ?? request.end_date,
    start_time: withoutSeconds(patch.start_time === undefined ? request.start_time : patch.start_time),
    end_time: withoutSeconds(patch.end_time === undefined ? request.end_time : patch.end_time),
  };
}

/** Whether a date or a time differs. */
export function spanChanged(one: Span, other: Span): boolean {
  return (
    one.start_date !== other.start_date ||
    one.end_date !== other.end_date ||
    withoutSeconds(one.start_time) !== withoutSeconds(other.start_time) ||
    withoutSeconds(one.end_time) !== withoutSeconds(other.end_time)
  );
}

/** The agreed number after an edit: the one sent, none if the span changed, else the stored one. */
function overrideAfter(
  request: EditedRequest,
  patch: RequestPatch,
  moved: boolean,
  callerId: string | null,
): HoursOverride | null {
  if (patch.hours_override !== undefined) {
    return patch.hours_override === null ? null : { hours: patch.hours_override, by_user_id: callerId };
  }
  if (moved || request.hours_override === null) return null;
  return { hours: request.hours_override, by_user_id: request.hours_override_by_user_id };
}

/**
 * Decides whether and how a request may be edited (people chapter §6, "PATCH"). Checks in this order: visible 404, write 403, decided or
 * cancelled 409, type 404 (422 when it changes to an inactive one), override rights 403, span 422, nothing worked 422, overlap 409 and,
 * if a date or time changed, the past lock: an old or new start before today requires backdating.
 *
 * Every edit re-prices with today's calendar and week, even an edit of the note; the display window stays as it was written until a date or
 * time changes. Approved leave returns to pending when three things hold:
 * the edit is relevant (type, date, time, resulting hours or agreed number differ), the new type requires approval or the past is touched,
 * and the caller does not act as approver. Otherwise the status stays. `type` is the type after the edit, null if it does not exist.
 * Leave that keeps its type needs no active one.
 */
export function editDecision(
  request: EditedRequest,
  patch: RequestPatch,
  type: EditedType | null,
  leave: LeaveCase,
  calendar: LeaveCalendar,
): Decision<Edited> {
  const { caller, user_id, self_approval, today } = leave;
  if (!reaches(caller.reads, caller.user_id, user_id)) return refuse(NOT_FOUND);
  if (!reaches(caller.writes, caller.user_id, user_id)) return refuse(FORBIDDEN);
  if (!occupies(request.status)) return refuse(DECIDED);
  if (type === null) return refuse(NOT_FOUND);
  const retyped = type.id !== request.leave_type_id;
  if (retyped && !type.active) return refuse(invalid({ leave_type_id: "errors.validation" }));
  const refusal = patch.hours_override === undefined ? null : overrideRefusal(leave);
  if (refusal !== null) return refuse(refusal);

  const span = editedSpan(request, patch);
  const moved = spanChanged(request, span);
  const priced = priceDecision(span, overrideAfter(request, patch, moved, caller.user_id), calendar, request.id);
  if (!priced.allowed) return priced;
  const { resolved_start_time, resolved_end_time } = request;
  const window = moved ? priced.window : { resolved_start_time, resolved_end_time };
  const touchesPast = isPast(request.start_date, today) || isPast(span.start_date, today);
  if (moved && touchesPast && !mayBackdate(caller, user_id, self_approval)) return refuse(PAST_LOCKED);

  const relevant =
    retyped || moved || !sameHours(priced.hours, request.hours) || !sameHours(priced.hours_override, request.hours_override);
  const needsDecision = type.requires_approval || touchesPast;
  const bounced = request.status === "approved" && relevant && needsDecision && !actsAsApprover(caller, user_id, self_approval);
  if (bounced) return { ...priced, window, span, status: "pending", bounced, event: "leave.requested" };
  // The calendar mirror shows the type (people §13), so a new type is an update like a new window.
  const event = request.status === "approved" && (moved || retyped) ? "leave.updated" : null;
  return { ...priced, window, span, status: request.status, bounced, event };
}

import type { IsoDate } from "../../../core/calendar/calendar.ts";
import { type DecimalInput, decimal } from "../../../core/values/money.ts";
import { reaches } from "../../../core/values/scope.ts";
import type { LeaveType } from "../leave-types.ts";
import { actsAsApprover, type LeaveCaller, mayBackdate } from "../powers.ts";
import {
  APPROVED_LOCKED,
  DECIDED,
  type Decision,
  FORBIDDEN,
  invalid,
  NO_WORKING_HOURS,
  NOT_FOUND,
  OVERLAP,
  PAST_LOCKED,
  type Refusal,
  refuse,
  SELF_APPROVAL,
} from "../refusal.ts";
import { type Hours, hoursText } from "../working-time/hours.ts";
import type { WeekSources } from "../working-time/schedule.ts";
import { displayWindow, type ResolvedWindow, type Span, type SpanCost, spanCost, spanErrors } from "../working-time/span-cost.ts";
import { isPast, type OccupiedSpan, overlapping, type RequestStatus } from "./status.ts";

/** The maximum of an approver's agreed hours (people chapter §6). */
export const MAX_OVERRIDE_HOURS = 2000;

/** The events of leave requests (people chapter §13). */
export type LeaveEvent = "leave.requested" | "leave.approved" | "leave.rejected" | "leave.cancelled" | "leave.updated";

/** A caller acting on one person's leave, with the facts that decide their powers. */
export interface LeaveCase {
  readonly caller: LeaveCaller;
  readonly user_id: string;
  /** Whether the organisation allows self-approval now. */
  readonly self_approval: boolean;
  readonly today: IsoDate;
}

/** The data to price and check one person's leave. */
export interface LeaveCalendar {
  readonly person: WeekSources;
  readonly holidays: ReadonlySet<IsoDate>;
  /** The person's requests; non-occupying ones are ignored. */
  readonly requests: readonly OccupiedSpan[];
  /** Whether the caller may see them; if so, a refusal names the conflicting one. */
  readonly shown?: boolean;
}

const clashDetails = ({ id, start_date, end_date }: OccupiedSpan) => ({ leave_request_id: id, start_date, end_date });

/** A priced span: its cost, the stored hours, and the frozen window. */
export interface PricedSpan {
  readonly cost: SpanCost;
  readonly hours: Hours;
  readonly hours_override: Hours | null;
  readonly hours_override_by_user_id: string | null;
  readonly window: ResolvedWindow;
}

/** Whether an agreed number is in range: above 0, at most 2000 (people chapter §6). */
export function overrideAllowed(hours: DecimalInput): boolean {
  return decimal(hours).greaterThan(0) && decimal(hours).lessThanOrEqualTo(MAX_OVERRIDE_HOURS);
}

/**
 * Whether the caller may set `hours_override`: 403 without the permission, 403 `self_approval` on leave the caller may not decide on (§6).
 */
export function overrideRefusal({ caller, user_id, self_approval }: LeaveCase): Refusal | null {
  if (!caller.approves) return FORBIDDEN;
  return actsAsApprover(caller, user_id, self_approval) ? null : SELF_APPROVAL;
}

/** An agreed number of hours and the account that set it. */
export interface HoursOverride {
  readonly hours: DecimalInput;
  readonly by_user_id: string | null;
}

/**
 * Prices a span with today's calendar and week. Refuses in this order: invalid span 422, worth nothing without an agreed number 422
 * `no_working_hours`, day shared with other occupying leave 409 (people chapter §6). `exceptId`: the edited request.
 */
export function priceDecision(
  span: Span,
  override: HoursOverride | null,
  calendar: LeaveCalendar,
  exceptId: string | null,
): Decision<PricedSpan> {
  const fields = spanErrors(span);
  if (Object.keys(fields).length > 0) return refuse(invalid(fields));
  const cost = spanCost(span, calendar.person, calendar.holidays);
  if (cost.minutes === 0 && override === null) return refuse(NO_WORKING_HOURS);
  const clash = overlapping(calendar.requests, span, exceptId);
  if (clash !== null) return refuse({ ...OVERLAP, ...(calendar.shown && { details: clashDetails(clash) }) });
  return {
    allowed: true,
    cost,
    hours: override === null ? cost.hours : hoursText(override.hours),
    hours_override: override === null ? null : hoursText(override.hours),
    hours_override_by_user_id: override === null ? null : override.by_user_id,
    window: displayWindow(span, calendar.person),
  };
}

/** A requested new leave request. */
export interface NewRequest {
  readonly span: Span;
  /** Null: unknown type. */
  readonly type: Pick<LeaveType, "active" | "requires_approval"> | null;
  readonly hours_override: DecimalInput | null;
}

/** The initial state of a new request. */
export interface Created extends PricedSpan {
  readonly status: "pending" | "approved";
  readonly event: "leave.requested" | "leave.approved";
}

/**
 * Decides whether a request may be created, in the order of people chapter §6 "Create": write (and for another person write and read
 * `:any`) 403, type 404, inactive type 422, past 403, override rights 403, span 422, nothing worked 422, overlap 409. Self-service types
 * are approved at once, all others start pending, even when a manager registers them for someone. A missing balance never refuses.
 */
export function creationDecision(asked: NewRequest, leave: LeaveCase, calendar: LeaveCalendar): Decision<Created> {
  const { caller, user_id, self_approval, today } = leave;
  const own = caller.user_id === user_id;
  if (!reaches(caller.writes, caller.user_id, user_id) || (!own && caller.reads !== "any")) return refuse(FORBIDDEN);
  if (asked.type === null) return refuse(NOT_FOUND);
  if (!asked.type.active) return refuse(invalid({ leave_type_id: "errors.validation" }));
  if (isPast(asked.span.start_date, today) && !mayBackdate(caller, user_id, self_approval)) return refuse(PAST_LOCKED);
  const override = asked.hours_override === null ? null : { hours: asked.hours_override, by_user_id: caller.user_id };
  const refusal = override === null ? null : overrideRefusal(leave);
  if (refusal !== null) return refuse(refusal);
  const priced = priceDecision(asked.span, override, calendar, null);
  if (!priced.allowed) return priced;
  return asked.type.requires_approval
    ? { ...priced, status: "pending", event: "leave.requested" }
    : { ...priced, status: "approved", event: "leave.approved" };
}

/**
 * Decides on a pending request: missing permission 403, own leave without self-approval 403 `self_approval`, any status but pending 409
 * (people chapter §6, "Transitions"). There is no past lock and no read scope. The caller sets the decision fields and clears
 * `resubmitted_at`.
 */
export function approvalDecision(
  approved: boolean,
  status: RequestStatus,
  { caller, user_id, self_approval }: LeaveCase,
): Decision<{ readonly status: "approved" | "rejected"; readonly event: LeaveEvent }> {
  if (!caller.approves) return refuse(FORBIDDEN);
  if (!actsAsApprover(caller, user_id, self_approval)) return refuse(SELF_APPROVAL);
  if (status !== "pending") return refuse(DECIDED);
  return approved
    ? { allowed: true, status: "approved", event: "leave.approved" }
    : { allowed: true, status: "rejected", event: "leave.rejected" };
}

/** A request as the cancel rules see it. */
export interface CancelledRequest {
  readonly start_date: IsoDate;
  readonly status: RequestStatus;
  readonly type: Pick<LeaveType, "requires_approval">;
}

/**
 * Decides whether a request may be cancelled (people chapter §6, "Transitions"): visible 404, write 403, past 403 `past_locked`, then the
 * status. Pending: yes. Approved: for an approver, or for one's own leave of a self-service type, else 403 `approved_locked`. Rejected or
 * cancelled: 409. Only cancelling approved leave is an event (§13).
 */
export function cancelDecision(
  request: CancelledRequest,
  { caller, user_id, self_approval, today }: LeaveCase,
): Decision<{ readonly status: "cancelled"; readonly event: "leave.cancelled" | null }> {
  if (!reaches(caller.reads, caller.user_id, user_id)) return refuse(NOT_FOUND);
  if (!reaches(caller.writes, caller.user_id, user_id)) return refuse(FORBIDDEN);
  if (isPast(request.start_date, today) && !mayBackdate(caller, user_id, self_approval)) return refuse(PAST_LOCKED);
  if (request.status === "pending") return { allowed: true, status: "cancelled", event: null };
  if (request.status !== "approved") return refuse(DECIDED);
  const ownSelfService = caller.user_id === user_id && !request.type.requires_approval;
  if (!ownSelfService && !actsAsApprover(caller, user_id, self_approval)) return refuse(APPROVED_LOCKED);
  return { allowed: true, status: "cancelled", event: "leave.cancelled" };
}

/**
 * Whether a free day may be withdrawn (people chapter §9, "Withdraw"): the ordinary cancel with all its rules, free-time types only; never
 * for an unknown id (null). Refused ones are listed in `skipped`; the rest proceeds.
 */
export function mayWithdraw(
  request: (CancelledRequest & { readonly type: Pick<LeaveType, "requires_approval" | "accrues_schedule_gap"> }) | null,
  leave: LeaveCase,
): boolean {
  if (request === null || !request.type.accrues_schedule_gap) return false;
  return cancelDecision(request, leave).allowed;
}

import type { IsoDate } from "../../../core/calendar/calendar.ts";
import { namedValues } from "../../../core/naming/named-values.ts";
import { sharesDay } from "../working-time/period.ts";

/** The states of a leave request (people chapter §6). */
export const REQUEST_STATUSES = namedValues("LeaveRequestStatus", ["pending", "approved", "rejected", "cancelled"]);
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/** Whether a request of this status occupies days and balance: pending and approved ones do (people chapter §6). */
export function occupies(status: RequestStatus): status is "pending" | "approved" {
  return status === "pending" || status === "approved";
}

/** A request as the overlap check sees it. */
export interface OccupiedSpan {
  readonly id: string;
  readonly start_date: IsoDate;
  readonly end_date: IsoDate;
  readonly status: RequestStatus;
}

/**
 * The first occupying request of a person that shares a calendar day with a span, whatever its type or times: a morning and an afternoon
 * clash (people chapter §6, "Overlap"). `exceptId` is the request being edited.
 */
export function overlapping<R extends OccupiedSpan>(
  requests: readonly R[],
  span: { readonly start_date: IsoDate; readonly end_date: IsoDate },
  exceptId: string | null = null,
): R | null {
  return requests.find((request) => occupies(request.status) && request.id !== exceptId && sharesDay(request, span)) ?? null;
}

/** Whether leave is past: only the start date counts, and today is not past (people chapter §6). */
export function isPast(startDate: IsoDate, today: IsoDate): boolean {
  return startDate < today;
}

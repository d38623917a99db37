import type { IsoDate } from "../../../core/calendar/calendar.ts";
import { sharesDay } from "../working-time/period.ts";

/** The states of a leave request (people chapter §6). */
export const REQUEST_STATUSES = ["pending", "approved", "rejected", "cancelled"] as const;
/** The state of one request. */
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/** Whether a request of this status occupies days and balance: pending and approved do (people chapter §6). */
export function occupies(status: RequestStatus): status is "pending" | "approved" {
  return status === "pending" || status === "approved";
}

/** A request as overlap looks at it. */
export interface OccupiedSpan {
  readonly id: string;
  readonly start_date: IsoDate;
  readonly end_date: IsoDate;
  readonly status: RequestStatus;
}

/**
 * The first occupying request of a person that shares a calendar day with a span, whatever types or times: a morning and
 * an afternoon clash. `exceptId` is the request being edited (people chapter §6, "Overlap").
 */
export function overlapping<R extends OccupiedSpan>(
  requests: readonly R[],
  span: { readonly start_date: IsoDate; readonly end_date: IsoDate },
  exceptId: string | null = null,
): R | null {
  return requests.find((request) => occupies(request.status) && request.id !== exceptId && sharesDay(request, span)) ?? null;
}

/** Whether leave is past: only the start date counts, and leave that starts today is not past (people chapter §6). */
export function isPast(startDate: IsoDate, today: IsoDate): boolean {
  return startDate < today;
}

import { type IsoDate, yearOf } from "../../../core/calendar/calendar.ts";
import { type BalanceSources, summaryRemaining } from "../pots/balance.ts";
import type { RequestStatus } from "../requests/status.ts";
import type { Hours } from "../working-time/hours.ts";
import { profileOn, type WeekSources } from "../working-time/schedule.ts";

/** The caller's request as the summary sees it. */
export interface SummaryRequest {
  readonly id: string;
  readonly start_date: IsoDate;
  readonly end_date: IsoDate;
  readonly status: RequestStatus;
}

/** The response of `GET /leave/summary` (people chapter §8). */
export interface Summary {
  readonly year: number;
  readonly remaining_hours: Hours;
  readonly hours_per_week: Hours;
  readonly hours_per_day: Hours;
  readonly pending_count: number;
  readonly next_leave_id: string | null;
  readonly next_leave_start: IsoDate | null;
  readonly next_leave_end: IsoDate | null;
}

/** The first approved leave that has not ended by `today`, including leave under way; null if none. */
export function nextLeave(requests: readonly SummaryRequest[], today: IsoDate): SummaryRequest | null {
  const ahead = requests.filter((request) => request.status === "approved" && request.end_date >= today);
  return ahead.reduce<SummaryRequest | null>(
    (next, request) => (next === null || request.start_date < next.start_date ? request : next),
    null,
  );
}

/**
 * A person's summary of today's year (people chapter §8, "Summary"): the hours left over all tracking types except free time, weekly and
 * daily hours, the number of own pending requests of all years, and the next approved leave.
 */
export function summary(sources: BalanceSources, person: WeekSources, requests: readonly SummaryRequest[]): Summary {
  const year = yearOf(sources.today);
  const { hours_per_week, hours_per_day } = profileOn(person, sources.today);
  const next = nextLeave(requests, sources.today);
  return {
    year,
    remaining_hours: summaryRemaining(sources, year),
    hours_per_week,
    hours_per_day,
    pending_count: requests.filter((request) => request.status === "pending").length,
    next_leave_id: next?.id ?? null,
    next_leave_start: next?.start_date ?? null,
    next_leave_end: next?.end_date ?? null,
  };
}

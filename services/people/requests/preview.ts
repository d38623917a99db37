import { type IsoDate, yearOf } from "../../../core/calendar/calendar.ts";
import type { LeaveType } from "../leave-types.ts";
import { type BalanceSources, previewRemaining } from "../pots/balance.ts";
import { dayEquivalents, type Hours } from "../working-time/hours.ts";
import { type WeekSources, weekOn } from "../working-time/schedule.ts";
import { type FreeReason, type Span, spanCost } from "../working-time/span-cost.ts";
import { averageDayMinutes } from "../working-time/week.ts";
import { isPast, occupies, type RequestStatus } from "./status.ts";

/** The input of a preview. */
export interface PreviewAsked {
  readonly user_id: string;
  readonly span: Span;
  readonly type: Pick<LeaveType, "id" | "requires_approval"> | null;
  /** The request named by `request_id`, whichever person it belongs to; null if unset or unknown. */
  readonly edited: {
    readonly id: string;
    readonly user_id: string;
    readonly start_date: IsoDate;
    readonly status: RequestStatus;
  } | null;
}

/** The response of `POST /leave/requests/preview` (people chapter §6, "Preview"). */
export interface Preview {
  readonly hours: Hours;
  readonly breakdown: readonly { readonly date: IsoDate; readonly hours: Hours; readonly reason: FreeReason | null }[];
  readonly days: Hours;
  readonly remaining_hours: Hours | null;
  readonly touches_past: boolean;
  readonly requires_approval: boolean;
}

/**
 * Previews a span for one person (people chapter §6, "Preview"). `hours` is the figure that would be stored; `days` divides it by the
 * average day of the week in force on the start date. `touches_past`: the span, or that person's edited request, starts before today.
 * `requires_approval`: the type requires it or the past is touched. `remaining_hours` is of the start year, null without a balance type,
 * and ignores that person's edited request if it occupies. A span worth nothing is previewed; an invalid one is refused earlier (§2).
 */
export function preview(
  asked: PreviewAsked,
  person: WeekSources,
  holidays: ReadonlySet<IsoDate>,
  balance: BalanceSources,
): Preview {
  const { today } = balance;
  const { start_date } = asked.span;
  const { edited, type } = asked;
  const own = edited !== null && edited.user_id === asked.user_id ? edited : null;
  const cost = spanCost(asked.span, person, holidays);
  const touches_past = isPast(start_date, today) || (own !== null && isPast(own.start_date, today));
  const without = own !== null && occupies(own.status) ? own.id : null;
  return {
    hours: cost.hours,
    breakdown: cost.breakdown.map(({ date, hours, reason }) => ({ date, hours, reason })),
    days: dayEquivalents(cost.minutes, averageDayMinutes(weekOn(person, asked.span.start_date))),
    remaining_hours: type === null ? null : previewRemaining(balance, type.id, yearOf(start_date), without),
    touches_past,
    requires_approval: touches_past || (type?.requires_approval ?? false),
  };
}

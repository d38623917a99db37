import { windowIn } from "../../../core/calendar/calendar.ts";
import { allocate, type DecimalInput, roundHalfEven } from "../../../core/values/money.ts";
import { type Hours, hoursText } from "./hours.ts";
import { scheduledDay, type WeekSources } from "./schedule.ts";
import type { FreeReason, ResolvedWindow, Span, SpanCost } from "./span-cost.ts";
import { dayMinutes } from "./week.ts";

/** One day of stored leave. */
export interface LeaveDay {
  readonly date: string;
  readonly hours: Hours;
  readonly reason: FreeReason | null;
}

/**
 * Distributes stored hours over the days of their span in today's proportions: hours × day minutes ÷ span minutes, 2 decimals, half to even
 * (people chapter §11; also the per-day breakdown of events, §13). The residue goes to the largest day, the first among equals, so the
 * total never changes. A span without minutes puts everything on the start date. `cost` is the span's price today.
 */
export function layOut(hours: DecimalInput, cost: SpanCost): LeaveDay[] {
  if (cost.minutes === 0) {
    return cost.breakdown.map(({ date, reason }, index) =>
      index === 0 ? { date, hours: hoursText(hours), reason: null } : { date, hours: "0.00", reason },
    );
  }
  const [only] = cost.breakdown;
  if (only !== undefined && cost.breakdown.length === 1)
    return [{ date: only.date, hours: hoursText(hours), reason: only.reason }];
  const minutes = cost.breakdown.map((day) => day.minutes);
  const shares = allocate(hours, minutes, roundHalfEven);
  return cost.breakdown.map(({ date, reason }, index) => ({ date, hours: hoursText(shares[index] ?? 0), reason }));
}

/** The instants of a single day of leave, with the offset of the organisation's zone; both null otherwise. */
export interface LeaveInstants {
  readonly starts_at: string | null;
  readonly ends_at: string | null;
}

/**
 * The start and end of a single day of leave in `zone`, so 08:30 stays 08:30 across clock changes (people chapter §11): the frozen window,
 * or for a whole day the scheduled block. Null for several days and for a day without work.
 */
export function leaveInstants(span: Span & ResolvedWindow, person: WeekSources, zone: string): LeaveInstants {
  const day = span.start_date === span.end_date ? scheduledDay(person, span.start_date) : null;
  if (day === null || dayMinutes(day) === 0) return { starts_at: null, ends_at: null };
  const { resolved_start_time: from, resolved_end_time: to } = span;
  const { start, end } = windowIn(zone, span.start_date, from ?? day.start, to ?? day.end);
  return { starts_at: start, ends_at: end };
}

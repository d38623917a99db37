import { daysBetween, type IsoDate } from "../../../core/calendar/calendar.ts";

/** Days without contact from which a client stands out (clients chapter §3.8, `interactions.last`). */
const QUIET = { warn: 42, bad: 90 } as const;

/** How long a client has not been spoken to, in days of the organisation, and how that looks. */
export function quietSince(last: IsoDate, today: IsoDate): { days: number; tone: "neutral" | "warn" | "bad" } {
  const days = daysBetween(last, today);
  return { days, tone: days >= QUIET.bad ? "bad" : days >= QUIET.warn ? "warn" : "neutral" };
}

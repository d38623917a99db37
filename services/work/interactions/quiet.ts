import { daysBetween, type IsoDate } from "../../../core/calendar/calendar.ts";

/** Days without contact after which a client is flagged (clients chapter §3.8, `interactions.last`). */
const QUIET = { warn: 42, bad: 90 } as const;

/** Days since the last contact with a client, by the organisation's dates, and the tone to show them in. */
export function quietSince(last: IsoDate, today: IsoDate): { days: number; tone: "neutral" | "warn" | "bad" } {
  const days = daysBetween(last, today);
  return { days, tone: days >= QUIET.bad ? "bad" : days >= QUIET.warn ? "warn" : "neutral" };
}

import { invalid } from "../../../core/errors/errors.ts";
import { readNumber } from "../../../core/impex/files/cell.ts";
import { text } from "../../../core/schema/schema.ts";

/** A duration in a body, as people type it. */
export const duration = () => text(20, { minLength: 1, example: "1u30" });
export const DURATION =
  "Instead of `minutes`, as people type it: `1:30`, `1u30`, `1h 30m`, `90m`; a number alone is hours, such as `1,5`";

const COLONS = /^(\d{1,4}):(\d{2})(?::(\d{2})(?:\.\d+)?)?$/;
const UNITS =
  /^(?:(\d+(?:[.,]\d+)?)\s*(?:h|u|std|hrs?|uur|hours?|stunden?))?\s*(?:(\d+)\s*(?:m|min|minutes?|minuten)\.?)?\s*(?:(\d+)\s*(?:s|sec|seconds?|seconden)\.?)?$/i;
/** Minutes after hours need no unit. */
const HOURS_AND_MINUTES = /^(\d+)\s*(?:h|u)\s*([0-5]?\d)$/i;
const DAY_MINUTES = 1440;

/**
 * Whole minutes of a duration as people type it, in Dutch, English or German: `1:30`, `1:30:00`, `1u30`, `1h 30m`, `90m`, and `1,5` or `2`,
 * which are hours. Undefined if it is not one.
 */
export function minutesIn(text: string): number | undefined {
  const bare = text.trim();
  const [colons, hour = "", minute = "", second = "0"] = COLONS.exec(bare) ?? [];
  if (colons !== undefined) {
    if (Number(minute) > 59 || Number(second) > 59) return undefined;
    return Math.round(Number(hour) * 60 + Number(minute) + Number(second) / 60);
  }
  const number = bare.startsWith("-") ? undefined : readNumber(bare);
  if (number !== undefined) return Math.round(Number(number) * 60);
  const [short, shortHours, shortMinutes] = HOURS_AND_MINUTES.exec(bare) ?? [];
  if (short !== undefined) return Number(shortHours) * 60 + Number(shortMinutes);
  const [, hours, minutes, seconds] = UNITS.exec(bare) ?? [];
  if (hours === undefined && minutes === undefined && seconds === undefined) return undefined;
  return Math.round(Number((hours ?? "0").replace(",", ".")) * 60 + Number(minutes ?? 0) + Number(seconds ?? 0) / 60);
}

/**
 * The minutes of a body, which has them as a number or as a duration.
 * @throws 422 `duration` for both, for a text that is no duration, and for more than a day
 */
export function writtenMinutes({
  minutes,
  duration,
}: {
  readonly minutes?: number | null | undefined;
  readonly duration?: string | undefined;
}): number | null | undefined {
  if (duration === undefined) return minutes;
  const read = minutes === null || minutes === undefined ? minutesIn(duration) : undefined;
  if (read === undefined || read > DAY_MINUTES) throw invalid({ duration: "errors.validation" });
  return read;
}

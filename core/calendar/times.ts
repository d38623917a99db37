/** A wall-clock time `HH:MM` without zone. `24:00` means the end of a day. */
export type WallTime = string;

/** Minutes in a calendar day of 24 wall-clock hours. */
export const DAY_MINUTES = 1440;

const TIME = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?$/;

/** Whether `value` is a wall-clock time `HH:MM`, with or without seconds, 00:00–23:59; not `24:00`. */
export function isTime(value: unknown): value is string {
  return typeof value === "string" && TIME.test(value);
}

/** Minutes since midnight of `HH:MM` or `HH:MM:SS`; drops seconds, `24:00` is 1440. Throws RangeError for anything else. */
export function minutesOfTime(time: string): number {
  if (time === "24:00") return DAY_MINUTES;
  const match = TIME.exec(time);
  if (match === null) throw new RangeError(`not a time of day: ${time}`);
  return Number(match[1]) * 60 + Number(match[2]);
}

/** `HH:MM` of minutes since midnight, 0–1440 (1440 is `24:00`). Throws RangeError outside this range. */
export function timeOfMinutes(minutes: number): WallTime {
  if (!Number.isInteger(minutes) || minutes < 0 || minutes > DAY_MINUTES) {
    throw new RangeError(`not a minute of the day: ${minutes}`);
  }
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}

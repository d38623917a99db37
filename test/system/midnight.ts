import { setTimeout as delay } from "node:timers/promises";

const ZONE = { timeZone: "Europe/Amsterdam" };
/** Longest time of a test of processes that depends on the date, in seconds. */
const ROOM = 1200;

/**
 * Today in Amsterdam, the tests' time zone. Near midnight it waits for the next day, so that the date does not change during a test of some
 * minutes; test/support/today.ts is for tests of some seconds.
 */
export async function todayWithTime(): Promise<string> {
  const [hours = 0, minutes = 0, seconds = 0] = new Date().toLocaleTimeString("sv", ZONE).split(":").map(Number);
  const left = 86_400 - (hours * 60 + minutes) * 60 - seconds;
  if (left < ROOM) await delay((left + 1) * 1000);
  return new Date().toLocaleDateString("sv", ZONE);
}

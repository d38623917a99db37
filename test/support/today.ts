import { setTimeout as delay } from "node:timers/promises";

const ZONE = { timeZone: "Europe/Amsterdam" };
/** Seconds that a test with a day in it may take. */
const ROOM = 45;

/** Today in Amsterdam, where organisations of tests are. Waits for tomorrow when that is so near that it would come amid a test. */
export async function todayWithRoom(): Promise<string> {
  const [hours = 0, minutes = 0, seconds = 0] = new Date().toLocaleTimeString("sv", ZONE).split(":").map(Number);
  const left = 86_400 - (hours * 60 + minutes) * 60 - seconds;
  if (left < ROOM) await delay((left + 1) * 1000);
  return new Date().toLocaleDateString("sv", ZONE);
}

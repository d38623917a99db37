import { setTimeout as delay } from "node:timers/promises";
import { isApiError } from "../declare/errors.ts";
import type { OrganisationRun } from "./jobs.ts";

/** Milliseconds between two attempts. */
const PAUSE = 500;

/** Whether an error says no more than that the database is away just now. */
const isAway = (error: unknown): boolean => isApiError(error) && error.type === "unavailable";

/**
 * Writes down in a job what happened elsewhere and is not to happen twice, as the taking of a mail: while the database is away the write is
 * tried again, until the time of the run is up. Because a commit may have come through although its answer did not, the write must change
 * nothing when it is done a second time.
 * @throws what `write` throws, at once for anything but a database that is away
 */
export async function writeInsistently<T>(
  { write, signal }: Pick<OrganisationRun, "write" | "signal">,
  work: () => Promise<T>,
): Promise<T> {
  for (;;)
    try {
      return await write(work);
    } catch (error) {
      if (!isAway(error) || signal.aborted) throw error;
      await delay(PAUSE, undefined, { signal }).catch(() => {});
    }
}

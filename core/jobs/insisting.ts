import { setTimeout as delay } from "node:timers/promises";
import { isApiError, type RefusalParts } from "../declare/errors.ts";
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

/** Whether a call did nothing: no node is there just now that takes it, or what it began was undone because the database went away. */
function isUndone(error: unknown, action: string): boolean {
  const { name, data = {} } = error as { name?: string; data?: { action?: string } & RefusalParts };
  if (isAway(error)) return data.undone === true;
  return (name === "ServiceNotFoundError" || name === "ServiceNotAvailableError") && data.action === action;
}

/** Whether the outcome of a call is not known: the database or the node went away in the middle, or another still does the same. */
function isOpen(error: unknown): boolean {
  const { name } = error as { name?: string };
  const isBusy = isApiError(error) && error.type === "idempotency_in_progress";
  return isAway(error) || isBusy || name === "RequestRejectedError" || name === "RequestTimeoutError";
}

/**
 * Calls another actor from a job, and again while nothing can have come of the call. Where what it did may be kept it is called again only if
 * it names itself (`once` of `Run.call`): it then gets what came of it.
 * @param asked action, parameters, cause and name
 * @param most milliseconds after which no other attempt is begun
 * @throws what the last call has thrown
 */
export async function callInsistently<T>(
  { call, signal }: Pick<OrganisationRun, "call" | "signal">,
  asked: Parameters<OrganisationRun["call"]>,
  most: number,
): Promise<T> {
  for (const until = performance.now() + most; ; )
    try {
      return await call<T>(...asked);
    } catch (error) {
      const mayRepeat = isUndone(error, asked[0]) || (asked[3] !== undefined && isOpen(error));
      if (!mayRepeat || signal.aborted || performance.now() > until) throw error;
      await delay(PAUSE, undefined, { signal }).catch(() => {});
    }
}

import { setTimeout as delay } from "node:timers/promises";
import { isApiError, type RefusalParts } from "../errors/errors.ts";
import type { OrganisationRun } from "./jobs.ts";

/** Milliseconds between two attempts. */
const PAUSE = 500;

/** Whether an error only means that the database is unreachable at the moment. */
const isAway = (error: unknown): boolean => isApiError(error) && error.type === "unavailable";

/**
 * Records in a job something that happened outside and must not be repeated, such as a mail relay accepting a mail. While the database is
 * unreachable it retries the write until the run times out. A commit may succeed although its response is lost, so running the write a
 * second time must change nothing.
 * @throws the error of `write`, at once unless the database is unreachable
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

/** Whether a call had no effect: no node offers the action at the moment, or PostgreSQL undid its writes because the database went down. */
function isUndone(error: unknown, action: string): boolean {
  const { name, data = {} } = error as { name?: string; data?: { action?: string } & RefusalParts };
  if (isAway(error)) return data.undone === true;
  return (name === "ServiceNotFoundError" || name === "ServiceNotAvailableError") && data.action === action;
}

/** Whether the outcome of a call is unknown: the database or the node failed during it, or an identical call is still running. */
function isOpen(error: unknown): boolean {
  const { name } = error as { name?: string };
  const isBusy = isApiError(error) && error.type === "idempotency_in_progress";
  return isAway(error) || isBusy || name === "RequestRejectedError" || name === "RequestTimeoutError";
}

/**
 * Calls another actor from a job, and retries if the call certainly had no effect. If it may have had one, only a named call is retried
 * (`once` of `Run.call`), which then returns the first outcome.
 * @param asked action, parameters, cause and name
 * @param most milliseconds after which no further attempt begins
 * @throws the error of the last call
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

import { AsyncLocalStorage } from "node:async_hooks";
import { outsideOfRequests } from "../../request/context.ts";

interface RetryContext {
  signal: AbortSignal | undefined;
  requestId: string | null;
}

const jobs = new AsyncLocalStorage<RetryContext>();

/**
 * Runs the work of a job, so that provider calls in it wait and retry as jobs do (assets §5.4). It is not part of the request that
 * scheduled it.
 * @param signal ends waits and calls when the job times out or its node stops
 * @param requestId of the request that scheduled the job, for traces
 */
export const inJob = <T>(work: () => T, signal?: AbortSignal, requestId: string | null = null): T =>
  jobs.run({ signal, requestId }, () => outsideOfRequests(work));

/** The running job's retry context; undefined if a caller waits for an answer. */
export const jobRetryContext = (): RetryContext | undefined => jobs.getStore();

import { AsyncLocalStorage } from "node:async_hooks";
import { outsideOfRequests } from "../../request/context.ts";

interface RetryContext {
  signal: AbortSignal | undefined;
  requestId: string | null;
}

const jobs = new AsyncLocalStorage<RetryContext>();

/**
 * Runs the work of a job: provider calls inside it may wait and try again as jobs may (assets §5.4). It is no part of the request that
 * scheduled it.
 * @param signal ends waiting and calls, when the job's time is over or its node stops
 * @param requestId of the request that scheduled the job, for traces
 */
export const inJob = <T>(work: () => T, signal?: AbortSignal, requestId: string | null = null): T =>
  jobs.run({ signal, requestId }, () => outsideOfRequests(work));

/** The running job's retry context; undefined where a caller waits for an answer. */
export const jobRetryContext = (): RetryContext | undefined => jobs.getStore();

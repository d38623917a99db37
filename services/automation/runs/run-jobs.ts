import { scheduleAll } from "../../../core/jobs/jobs.ts";

export const RUN_JOB = "automation.run";
/** Maximum number of runs per job, executed one after another. */
export const MOST_IN_JOB = 20;
/** Jobs of runs that one node executes in parallel: a run mostly waits for another system, and one organisation must not delay another. */
export const RUNS_AT_ONCE = 30;

/** Runs of one record, in order. */
export type RunPayload = Readonly<Record<"run_ids", readonly string[]>>;

interface Waiting {
  readonly id: string;
  readonly entity_id: string;
}

/**
 * Schedules runs: those of one record in the given order, after any already in progress; those of different records in parallel.
 * @param runAt the earliest start; immediately without it
 */
export function scheduleRuns(runs: readonly Waiting[], runAt?: Date): void {
  const byRecord = Map.groupBy(runs, ({ entity_id }) => entity_id);
  const jobs = [...byRecord].flatMap(([key, own]) => {
    const parts = Array.from({ length: Math.ceil(own.length / MOST_IN_JOB) }, (_, n) =>
      own.slice(n * MOST_IN_JOB, (n + 1) * MOST_IN_JOB),
    );
    return parts.map((part) => ({ payload: { run_ids: part.map(({ id }) => id) }, key }));
  });
  scheduleAll(RUN_JOB, jobs, runAt && { runAt });
}

import { scheduleAll } from "../../../core/jobs/jobs.ts";

export const RUN_JOB = "automation.run";
/** Runs that one job does, one after another. */
export const MOST_IN_JOB = 20;
/** Jobs of runs that one node does side by side: a run mostly waits for another system, and one organisation's keeps no other's waiting. */
export const RUNS_AT_ONCE = 30;

/** Runs of one record, in their order. */
export type RunPayload = Readonly<Record<"run_ids", readonly string[]>>;

interface Waiting {
  readonly id: string;
  readonly entity_id: string;
}

/**
 * Has runs done: those of one record one after another in the order given, also after what is under way, and those of different records side
 * by side.
 * @param runAt not before this instant; at once without it
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

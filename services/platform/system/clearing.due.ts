import { runtime } from "../../../core/config/runtime.ts";
import { oldRowsEverywhere } from "../../../core/sql/old-rows.ts";

/** Fewest days that an operator can have failed jobs kept. */
const LEAST = "7 days";
const days = (): number => runtime().config.failedJobsDays;

/** Answers kept for `Idempotency-Key` (conventions §11). */
export const oldKeys = oldRowsEverywhere({ table: "idempotency_keys", age: "r.created_at", kept: "24 hours" });

export const failedJobs = oldRowsEverywhere({
  table: "jobs.agenda_jobs",
  age: "coalesce(r.failed_at, r.last_finished_at, r.created_at)",
  kept: LEAST,
  days,
  also: "r.type = 'normal' and r.locked_at is null and r.next_run_at is null",
});
export const failedInOrder = oldRowsEverywhere({ table: "jobs.ordered", age: "r.dead_at", kept: LEAST, days });
/** Events whose subscribers are no longer there. */
export const relayedEvents = oldRowsEverywhere({
  table: "outbox",
  age: "r.relayed_at",
  kept: "1 day",
  also: "not exists (select from jobs.ordered o where o.event_id = r.id)",
});
/** Moments of clocks. */
export const oldMoments = oldRowsEverywhere({ table: "jobs.occurrences", age: "r.made_at", kept: "7 days" });
/** Jobs and subscribers that no node has declared for long. */
export const oldDefinitions = oldRowsEverywhere({ table: "jobs.definitions", age: "r.seen_at", kept: "30 days" });
export const goneNodes = oldRowsEverywhere({ table: "jobs.workers", age: "r.seen_at", kept: "180 seconds" });

import type { Logger } from "moleculer";
import { newId } from "../database/model.ts";
import type { DomainEvent, EventName } from "../declare/events.ts";
import type { Cause, Organisation } from "../declare/principal.ts";
import { type Statement, statement } from "../sql/statement.ts";
import type { DueRows } from "./due-rows.ts";
import { append, leavesWork } from "./outbox.ts";

/** The payload of a job: ids and kinds, never a secret or text about a person. */
export type JobPayload = Record<string, string | number | boolean | null | readonly string[]>;

/** The fields of every run of a job. */
export interface Run {
  /** The job's id, the same in every attempt: the idempotency key for providers that accept one. */
  id: string;
  name: string;
  /** 1 for the first attempt; counts failures, not nodes that died. */
  attempt: number;
  /** True when no further attempt follows a failure of this one. */
  lastAttempt: boolean;
  /** Aborted when the run times out or the node stops; pass it to everything that waits. */
  signal: AbortSignal;
  /** The node it runs on. */
  node: string;
  logger: Logger;
  /**
   * Calls an action as the system; in an organisation's job, within that organisation.
   * @param cause the automation rule that triggered the call
   * @param once names a write that must happen only once: for 24 hours a repeated call gets the outcome of the first
   */
  call<T>(action: string, parameters?: Record<string, unknown>, cause?: Cause, once?: string): Promise<T>;
}

/**
 * A run inside one organisation. Outside `read` and `write` it holds no database connection and cannot reach tenant data: call providers
 * there.
 */
export interface OrganisationRun<P = JobPayload> extends Run {
  payload: P;
  organisation: Organisation;
  /** Today's date in the organisation's time zone. */
  today(): string;
  /** Reads in one short read-only transaction of the organisation. */
  read<T>(work: () => Promise<T>): Promise<T>;
  /** Writes in one short transaction of the organisation, committed when `work` succeeds. `emit`, `schedule` and `trail` take part. */
  write<T>(work: () => Promise<T>): Promise<T>;
}

/** A run for the whole installation, outside any organisation. */
export type InstallationRun = Run;

/** How often and when a failed job is retried. */
export interface RetryRule {
  /** Total attempts, including the first. Default 5. */
  attempts?: number;
  /** Wait before the next attempt in ms: `first`, then times `factor`, at most `most`; varied by a fifth. Default 1 s, 4, 1 hour. */
  backoff?: { first?: number; factor?: number; most?: number };
}

interface Common {
  about: string;
  /** Whether this installation needs the job at all; evaluated once at start. */
  when?: () => boolean;
  /** Cron in UTC with five fields, or six starting with seconds. Without it the job runs when `schedule()` schedules it. */
  schedule?: string;
  /** Most concurrent runs on one node. Default 5. */
  concurrency?: number;
  /** Longest time of one run in ms; then it fails and its signal is aborted. Default 60,000. */
  timeout?: number;
  retry?: RetryRule;
  /** Time in ms after which the job of a dead node runs elsewhere. A live run refreshes its lock. Default 30,000. */
  lock?: number;
  /**
   * How long a job prevents another with the same `dedupe` text: until it starts (default; it then reads the latest data), or until it has
   * ended.
   */
  dedupe?: "start" | "end";
}

/** A job of one organisation: scheduled by a request, or by cron for every organisation it may run for. */
export interface OrganisationJob<P extends JobPayload = JobPayload> extends Common {
  per?: "organisation";
  /** The job's licensed module; the job does not run while the licence forbids writes to it (conventions §7, §20). */
  module?: string;
  /** Why it runs on schedule even when the organisation's plan has lapsed, if its chapter allows that. */
  licenceExempt?: string;
  /** With a schedule: the rows that are due, in a `*.due.ts` file. An organisation without any gets no job. */
  due?: DueRows;
  /** With a schedule whose rows are always due: the tables it works on. An organisation without a row in any of them gets no job. */
  worksOn?: readonly string[];
  /** With a schedule: why it runs for every organisation, whatever it has. */
  everywhere?: string;
  /**
   * With a schedule: minutes over which the jobs of many organisations begin, by a hash of their ids. Default 0: at the moment. Where the
   * organisation's date decides, no midnight of a time zone may lie in it: stay inside an hour.
   */
  spread?: number;
  handler(run: OrganisationRun<P>): Promise<unknown>;
}

/** A job that runs once for the installation. */
export interface InstallationJob extends Common {
  per: "installation";
  handler(run: InstallationRun): Promise<unknown>;
}

export type JobDeclaration = OrganisationJob | InstallationJob;
export type Jobs = Record<string, JobDeclaration>;

/** A subscriber's handler of an event. */
export type Subscriber<E extends EventName> = (event: DomainEvent<E>, run: OrganisationRun) => Promise<unknown>;

/**
 * Handlers by event. Each receives every event of its name at least once, in order per entity. A handler with a licensed module waits while
 * the licence forbids writes to it, like a job of that module.
 */
export type Subscriptions = {
  [E in EventName]?: Subscriber<E> | { module: string; handler: Subscriber<E> };
};

/** Declares a job whose payload has its own type. */
export const job = <P extends JobPayload>(declaration: OrganisationJob<P>): JobDeclaration =>
  declaration as unknown as OrganisationJob;

export interface ScheduleOptions {
  /** Not before this instant. Default: immediately after the commit. */
  runAt?: Date;
  /** Jobs with the same name and key run one after another, in the order they were scheduled. */
  key?: string;
  /** Creates no job while one with the same name and text exists (see `dedupe` of the declaration). */
  dedupe?: string;
}

/** Several jobs of one name to schedule together. */
export type JobsToSchedule<P extends JobPayload = JobPayload> = readonly ({ payload: P } & ScheduleOptions)[];

/**
 * A statement that writes rows and schedules jobs for them, when only SQL knows whether there are any. The organisation is `$1`. It does
 * not notify the node; the caller uses `leavesWork` when jobs are likely.
 * @param writing the write, with `returning`
 * @param jobs `select` of `payload`, `key` and `dedupe` from `made`, the written rows
 * @param traceparent the parameter with the current trace, such as `$3`
 */
export const schedulingFor = (jobName: string, writing: string, jobs: string, traceparent: string): Statement =>
  statement(`with made as (${writing}), wanted as (${jobs})
    insert into outbox (id, organisation_id, job, payload, key, dedupe, traceparent)
    select gen_random_uuid(), $1, '${jobName}', w.payload, w.key, w.dedupe, ${traceparent} from wanted w`);

const SECRETIVE = /secret|token|password|passwd|credential|cookie|authorization|api_?key/i;
const LONGEST = 200;

/** @throws TypeError when the payload contains anything but kinds and ids (conventions §20) */
function requireIdsOnly(jobName: string, payload: JobPayload): void {
  for (const [field, value] of Object.entries(payload)) {
    if (SECRETIVE.test(field))
      throw new TypeError(`job '${jobName}' has '${field}' in its payload, which may hold kind and ids only`);
    for (const part of Array.isArray(value) ? value : [value])
      if ((typeof part === "object" && part !== null) || (typeof part === "string" && part.length > LONGEST))
        throw new TypeError(`job '${jobName}' has a '${field}' that is not an id`);
  }
}

/**
 * Schedules a job in the current transaction: it exists if and only if the change does, and runs at least once after the commit.
 * @returns the job's id
 * @throws TypeError when the payload contains anything but kinds and ids
 */
export function schedule(jobName: string, payload: JobPayload = {}, { runAt, key, dedupe }: ScheduleOptions = {}): string {
  requireIdsOnly(jobName, payload);
  const id = newId();
  append({ id, job: jobName, payload, key: key ?? null, dedupe: dedupe ?? null, run_at: runAt?.toISOString() ?? null });
  leavesWork(runAt);
  return id;
}

/**
 * Schedules several jobs of one name in the current transaction, in order.
 * @param options `runAt` for jobs without their own
 * @throws TypeError when a payload contains anything but kinds and ids
 */
export function scheduleAll(jobName: string, jobs: JobsToSchedule, { runAt }: Pick<ScheduleOptions, "runAt"> = {}): void {
  if (jobs.length === 0) return;
  for (const { payload, key = null, dedupe = null, runAt: own = runAt } of jobs) {
    requireIdsOnly(jobName, payload);
    append({ id: newId(), job: jobName, payload, key, dedupe, run_at: own?.toISOString() ?? null });
  }
  leavesWork(runAt);
}

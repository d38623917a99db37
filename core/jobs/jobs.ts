import type { Logger } from "moleculer";
import { newId } from "../database/model.ts";
import { enqueue } from "../database/query.ts";
import { type Statement, statement } from "../database/statement.ts";
import type { DomainEvent, EventName } from "../declare/events.ts";
import { type Cause, type Organisation, request } from "../request/context.ts";
import { leavesWork } from "./outbox.ts";

/** What a job is told: ids and kinds, never a secret, never text of a person. */
export type JobPayload = Record<string, string | number | boolean | null | readonly string[]>;

/** What every run of a job has. */
export interface Run {
  /** The job's id, the same in every attempt: the idempotency key for a provider that takes one. */
  id: string;
  name: string;
  /** 1 for the first attempt; counts failures, not nodes that died. */
  attempt: number;
  /** True when a failure of this attempt is the end: there will be no other. */
  lastAttempt: boolean;
  /** Aborted when the time is up or the node stops; hand it to whatever waits. */
  signal: AbortSignal;
  /** The node it runs on. */
  node: string;
  logger: Logger;
  /**
   * Calls an action as the system; inside an organisation's job within that organisation.
   * @param cause the rule of automation that has it done
   * @param once names a write that is done once, however often it is called: a repeated call gets the outcome of the first, for 24 hours
   */
  call<T>(action: string, parameters?: Record<string, unknown>, cause?: Cause, once?: string): Promise<T>;
}

/**
 * A run inside one organisation. Outside of `read` and `write` no database connection is held and tenant data cannot be reached:
 * call providers there.
 */
export interface OrganisationRun<P = JobPayload> extends Run {
  payload: P;
  organisation: Organisation;
  /** Today's date in the organisation's zone. */
  today(): string;
  /** Reads in one short read-only transaction of the organisation. */
  read<T>(work: () => Promise<T>): Promise<T>;
  /** Writes in one short transaction of the organisation; commits when `work` ends well. `emit`, `schedule`, `trail` take part. */
  write<T>(work: () => Promise<T>): Promise<T>;
}

/** A run for the whole installation, outside of any organisation. */
export type InstallationRun = Run;

/** When a failed job is tried again. */
export interface RetryRule {
  /** Attempts altogether, the first included. Default 5. */
  attempts?: number;
  /** Wait before the next attempt in ms: `first`, then times `factor`, at most `most`; spread by a fifth. Default 1 s, 4, 1 hour. */
  backoff?: { first?: number; factor?: number; most?: number };
}

interface Common {
  about: string;
  /** Whether this installation needs it at all; asked once at start. */
  when?: () => boolean;
  /** Cron, five fields, or six of which the first is seconds, UTC. Without it the job runs when it is scheduled by `schedule()`. */
  schedule?: string;
  /** Runs at the same time on one node. Default 5. */
  concurrency?: number;
  /** Longest time of one run in ms; then it fails and its signal is aborted. Default 60,000. */
  timeout?: number;
  retry?: RetryRule;
  /** Time in ms after which the job of a node that died runs again elsewhere. A live run keeps its lock. Default 30,000. */
  lock?: number;
  /**
   * Until when a job keeps another with the same `dedupe` text from being made: until it starts (default; what it will read is then the
   * newest), or until it has ended.
   */
  dedupe?: "start" | "end";
}

/** A job of one organisation: scheduled by a request, or by the clock for every organisation it may run for. */
export interface OrganisationJob<P extends JobPayload = JobPayload> extends Common {
  per?: "organisation";
  /** The licensed module it belongs to; while that may not be written the job does not run (conventions §7, §20). */
  module?: string;
  /** Why it runs by the clock although the plan of the organisation has lapsed, where its chapter says so. */
  licenceExempt?: string;
  handler(run: OrganisationRun<P>): Promise<unknown>;
}

/** A job that runs once for the installation. */
export interface InstallationJob extends Common {
  per: "installation";
  handler(run: InstallationRun): Promise<unknown>;
}

export type JobDeclaration = OrganisationJob | InstallationJob;
export type Jobs = Record<string, JobDeclaration>;

/** What a subscriber does with an event. */
export type Subscriber<E extends EventName> = (event: DomainEvent<E>, run: OrganisationRun) => Promise<unknown>;

/**
 * Handlers by event. Each gets every event of its name at least once, in order per entity. One that names a licensed module waits while
 * that may not be written, like a job of it.
 */
export type Subscriptions = {
  [E in EventName]?: Subscriber<E> | { module: string; handler: Subscriber<E> };
};

/** Declares a job whose payload has a type of its own. */
export const job = <P extends JobPayload>(declaration: OrganisationJob<P>): JobDeclaration =>
  declaration as unknown as OrganisationJob;

/** The failure of a run that says itself when, or that never, to try again. Any other error is tried again by the job's rule. */
export class JobFailure extends Error {
  override name = "JobFailure";
  /** Milliseconds that must pass before the next attempt; null: no other attempt. */
  readonly retryAfter: number | null;

  constructor(message: string, retryAfter: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.retryAfter = retryAfter;
  }
}

export interface ScheduleOptions {
  /** Not before this instant. Default: at once after commit. */
  runAt?: Date;
  /** Jobs of one name and key run one after another, in the order they were scheduled. */
  key?: string;
  /** Nothing is made while another job of this name and text is there (see `dedupe` of the declaration). */
  dedupe?: string;
}

/** Several jobs of one name, to be scheduled at once. */
export type JobsToSchedule<P extends JobPayload = JobPayload> = readonly ({ payload: P } & ScheduleOptions)[];

const APPEND_ALL = statement(`insert into outbox (id, organisation_id, job, payload, key, dedupe, run_at, request_id)
  select j.id, $1, $2, j.payload, j.key, j.dedupe, coalesce(j.run_at, $4), $5
  from jsonb_to_recordset($3::jsonb) j (id uuid, payload jsonb, key text, dedupe text, run_at timestamptz)`);
const APPEND = statement(`insert into outbox (id, organisation_id, job, payload, key, dedupe, run_at, request_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`);

/**
 * A statement that writes rows and schedules a job for what was written, where SQL alone knows whether there is any. The organisation is
 * `$1`; the node is not told of the jobs: the sender of the statement calls `leavesWork` where some are likely.
 * @param writing the write, with `returning`
 * @param jobs `select` of `payload`, `key` and `dedupe` from `made`, what was written
 */
export const schedulingFor = (jobName: string, writing: string, jobs: string): Statement =>
  statement(`with made as (${writing}), wanted as (${jobs})
    insert into outbox (id, organisation_id, job, payload, key, dedupe)
    select gen_random_uuid(), $1, '${jobName}', w.payload, w.key, w.dedupe from wanted w`);

const SECRETIVE = /secret|token|password|passwd|credential|cookie|authorization|api_?key/i;
const LONGEST = 200;

/** @throws TypeError when the payload holds more than kinds and ids (conventions §20) */
function requireIdsOnly(jobName: string, payload: JobPayload): void {
  for (const [field, value] of Object.entries(payload)) {
    if (SECRETIVE.test(field)) throw new TypeError(`job '${jobName}' was given '${field}': a payload carries kind and ids only`);
    for (const part of Array.isArray(value) ? value : [value])
      if ((typeof part === "object" && part !== null) || (typeof part === "string" && part.length > LONGEST))
        throw new TypeError(`job '${jobName}' was given a '${field}' that is no id`);
  }
}

/**
 * Schedules a job in the running transaction: it exists exactly when the change does, and runs at least once after commit.
 * @returns the job's id
 * @throws TypeError when the payload holds more than kinds and ids
 */
export function schedule(jobName: string, payload: JobPayload = {}, { runAt, key, dedupe }: ScheduleOptions = {}): string {
  requireIdsOnly(jobName, payload);
  const { organisation, requestId } = request();
  const id = newId();
  enqueue(APPEND, [
    id,
    organisation.id,
    jobName,
    JSON.stringify(payload),
    key ?? null,
    dedupe ?? null,
    runAt?.toISOString() ?? null,
    requestId,
  ]);
  leavesWork(runAt);
  return id;
}

/**
 * Schedules several jobs of one name in the running transaction, in one statement and in their order.
 * @param options `runAt` of those that name none of their own
 * @throws TypeError when a payload holds more than kinds and ids
 */
export function scheduleAll(jobName: string, jobs: JobsToSchedule, { runAt }: Pick<ScheduleOptions, "runAt"> = {}): void {
  if (jobs.length === 0) return;
  const { organisation, requestId } = request();
  const rows = jobs.map(({ payload, key = null, dedupe = null, runAt: own = null }) => {
    requireIdsOnly(jobName, payload);
    return { id: newId(), payload, key, dedupe, run_at: own };
  });
  enqueue(APPEND_ALL, [organisation.id, jobName, JSON.stringify(rows), runAt?.toISOString() ?? null, requestId]);
  leavesWork(runAt);
}

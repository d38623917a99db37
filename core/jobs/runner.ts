import type { Job } from "agenda";
import type { Logger } from "moleculer";
import { todayIn } from "../calendar/calendar.ts";
import { DEFAULT_ZONE } from "../config/defaults.ts";
import type { Cause, Organisation } from "../declare/principal.ts";
import { JobFailure } from "../errors/job-failure.ts";
import { inJob } from "../outbound/provider/retry-context.ts";
import { redact } from "../outbound/redact.ts";
import type { RequestStore } from "../request/context.ts";
import { systemRequest } from "../request/system.ts";
import { tracing } from "../tracing/tracing.ts";
import { type Definition, waitAfter } from "./definition.ts";
import { eligibilityOf, mayRunSomewhere, WAITED_IN_VAIN } from "./eligibility.ts";
import { Gathering } from "./gathering.ts";
import { spanOfJob } from "./job-span.ts";
import type { InstallationJob, InstallationRun, OrganisationJob, OrganisationRun, Run } from "./jobs.ts";
import type { Meter } from "./meter.ts";
import { onClock } from "./outbox.ts";
import {
  beginOrdered,
  fanOut,
  finishOrdered,
  installationLicence,
  type JobOrganisation,
  jobOrganisations,
  type Queue,
  type QueuedData,
  type QueuedJob,
  type Turn,
} from "./store.ts";

/** How jobs reach the rest of the platform. */
export interface Reach {
  inTenancy<T>(make: () => RequestStore, work: () => Promise<T>): Promise<T>;
  call<T>(
    action: string,
    parameters: Record<string, unknown>,
    organisation: Organisation | null,
    requestId: string,
    cause?: Cause,
    once?: string,
  ): Promise<T>;
  loggerOf(service: string): Logger;
}

interface Surroundings extends Reach {
  node: string;
  queue: Queue;
  meter: Meter;
  handed(jobs: readonly QueuedJob[]): Promise<void>;
  /** Makes the end of a queue's job end an ordered job as well. */
  endsWith(id: string, ordered: string): void;
}

interface Running {
  job: Job<QueuedData>;
  definition: Definition;
  controller: AbortController;
}

const SUSPENDED_WAIT = 900_000;
const TROUBLE_WAIT = 2_000;
const LONGEST_WAIT = 7 * 86_400_000;
/** Abort reason when the node stops: the job is requeued and no attempt is counted. */
const RETURNED = new Error("the node stops");

/** Runs one Agenda job: whether it may run, in which tenancy, for how long, and what its failure means. */
export class Runner {
  readonly running = new Map<string, Running>();
  readonly #with: Surroundings;
  /** Jobs that begin together share the look at their organisations, and the one at their turns. */
  readonly #organisations: Gathering<string, JobOrganisation | undefined>;
  readonly #turns: Gathering<string, Turn>;
  readonly #waits = new WeakMap<Error, number | null>();
  #isOver = false;

  constructor(surroundings: Surroundings) {
    this.#with = surroundings;
    const { queue } = surroundings;
    this.#organisations = new Gathering((ids) => jobOrganisations(queue, ids));
    this.#turns = new Gathering((ids) => beginOrdered(queue, ids));
  }

  /** Tells Agenda the wait after a failure: ms until the next attempt, null for none. */
  backoff = ({ error }: { error: Error }): number | null => this.#waits.get(error) ?? null;

  /** Entry point of every job. Agenda stores the error it throws. */
  async run(definition: Definition, job: Job<QueuedData>): Promise<void> {
    try {
      await this.#run(definition, job);
    } catch (error) {
      if (this.#waits.has(error as Error)) throw error;
      // The database failed before the job began, so no attempt counts.
      this.#with
        .loggerOf(definition.service)
        .warn({ event: "jobs.job_not_begun", error: (error as Error).message }, `${definition.name} could not begin`);
      job.attrs.nextRunAt = new Date(Date.now() + TROUBLE_WAIT);
    }
  }

  async #run(definition: Definition, job: Job<QueuedData>): Promise<void> {
    const data = job.attrs.data as Partial<QueuedData> | undefined;
    if (data?.organisation === undefined) {
      const work = (run: Run) =>
        definition.per === "installation"
          ? (definition.handler as InstallationJob["handler"])(run)
          : this.#fanOut(definition, job);
      return this.#attempt(definition, job, String(job.attrs._id), null, work);
    }
    return this.#runFor(definition, job, data as QueuedData);
  }

  async #runFor(definition: Definition, job: Job<QueuedData>, data: QueuedData): Promise<void> {
    const byClock = data.dedupe?.endsWith(" schedule") === true;
    const employer = await this.#organisations.add(data.organisation);
    const eligibility = eligibilityOf(employer, definition.module, byClock && !definition.licenceExempt, Date.now());
    if (eligibility === "gone" || (eligibility === "wait" && byClock)) return this.#skip(definition, job, data);
    if (eligibility === "wait") return this.#postpone(definition, job, data);
    const { organisation } = employer as JobOrganisation;
    const turn = data.key === undefined ? null : await this.#turns.add(data.id);
    if (turn && turn.state !== "run") return this.#with.meter.count(definition.name, "skipped");
    const work = (run: Run) =>
      (definition.handler as OrganisationJob["handler"])(this.#inside(run, organisation, data, turn?.event));
    const isClocks = byClock || data.clock === true;
    await this.#attempt(definition, job, data.id, data, isClocks ? (run) => onClock(() => work(run)) : work);
  }

  async #skip({ name }: Definition, job: Job<QueuedData>, data: QueuedData): Promise<void> {
    this.#with.meter.count(name, "skipped");
    await this.#done(job, data);
  }

  /** Postpones a job while its organisation is suspended or its licence lapsed, without counting an attempt. Gives up after seven days. */
  async #postpone({ name }: Definition, job: Job<QueuedData>, { id, key, due }: QueuedData): Promise<void> {
    if (Date.now() - Date.parse(due) > LONGEST_WAIT) {
      if (key !== undefined) await this.#finish(id, true);
      this.#with.meter.count(name, "dead");
      throw this.#failure(new Error(WAITED_IN_VAIN), null);
    }
    this.#with.meter.count(name, "skipped");
    job.attrs.nextRunAt = new Date(Date.now() + SUSPENDED_WAIT);
  }

  async #fanOut(definition: Definition, job: Job<QueuedData>): Promise<void> {
    const now = Date.now();
    const moment = (job.attrs.nextRunAt ?? new Date(now)).toISOString();
    if (!mayRunSomewhere(definition.module, await installationLicence(), now)) return;
    await this.#with.handed(await fanOut(this.#with.queue, definition, moment));
  }

  #inside(run: Run, organisation: Organisation, { payload, id }: QueuedData, event: unknown): OrganisationRun {
    const { inTenancy, call } = this.#with;
    const tenancy = <T>(mode: "read" | "write", work: () => Promise<T>) =>
      inTenancy(() => ({ ...systemRequest(run.name, organisation, mode), requestId: id }), work);
    return Object.assign(run, {
      payload: payload as OrganisationRun["payload"],
      organisation,
      event,
      today: () => todayIn(organisation.timezone, Date.now(), DEFAULT_ZONE),
      read: <T>(work: () => Promise<T>) => tenancy("read", work),
      write: <T>(work: () => Promise<T>) => tenancy("write", work),
      call: <T>(action: string, parameters: Record<string, unknown> = {}, cause?: Cause, once?: string) =>
        call<T>(action, parameters, organisation, id, cause, once),
    });
  }

  async #attempt(
    definition: Definition,
    job: Job<QueuedData>,
    id: string,
    data: QueuedData | null,
    work: (run: InstallationRun) => Promise<unknown>,
  ): Promise<void> {
    if (this.#isOver) {
      job.attrs.nextRunAt = new Date();
      return;
    }
    const { name, attempts, timeout } = definition;
    const attempt = ((job.attrs.failCount ?? 0) % attempts) + 1;
    const controller = new AbortController();
    const { signal } = controller;
    const run: InstallationRun = {
      id,
      name,
      attempt,
      // Another node retries a requeued job.
      get lastAttempt() {
        return attempt === attempts && signal.reason !== RETURNED;
      },
      signal,
      node: this.#with.node,
      logger: this.#with.loggerOf(definition.service),
      call: <T>(action: string, parameters: Record<string, unknown> = {}, cause?: Cause, once?: string) =>
        this.#with.call<T>(action, parameters, null, id, cause, once),
    };
    const began = Date.now();
    const timer = setTimeout(() => controller.abort(new Error(`took longer than ${timeout} ms`)), timeout);
    this.running.set(String(job.attrs._id), { job, definition, controller });
    this.#with.meter.started(name, data && attempt === 1 ? Math.max(0, began - Date.parse(data.due)) : null);
    try {
      const traced = () => (tracing ? tracing.run(spanOfJob(definition, run, data), () => work(run)) : work(run));
      await Promise.race([inJob(traced, signal, id), aborted(signal)]);
      clearTimeout(timer);
      await this.#done(job, data);
      this.#with.meter.count(name, "succeeded");
    } catch (error) {
      clearTimeout(timer);
      if (signal.reason === RETURNED) job.attrs.nextRunAt = new Date();
      else throw await this.#failed(definition, data, attempt, error);
    } finally {
      this.running.delete(String(job.attrs._id));
      this.#with.meter.ended(name, Date.now() - began);
    }
  }

  /** Decides what a failure means: another attempt, and when, or the end. */
  async #failed(definition: Definition, data: QueuedData | null, attempt: number, error: unknown): Promise<Error> {
    const { name, attempts, service } = definition;
    const asked = error instanceof JobFailure ? error.retryAfter : 0;
    const isLast = asked === null || attempt >= attempts;
    // Mark it dead in Agenda only after its ordered queue has recorded it; otherwise the queue waits forever.
    const isDead = isLast && (data?.key === undefined || (await this.#buried(data.id)));
    this.#with.meter.count(name, "failed");
    this.#with.meter.count(name, isDead ? "dead" : "retried");
    const wait = isDead ? null : Math.max(waitAfter(definition, attempt), asked ?? 0);
    const failure = this.#failure(error, wait);
    this.#with
      .loggerOf(service)
      .warn(
        { event: "jobs.attempt_failed", job: data?.id, organisation: data?.organisation, attempt, wait, error: failure.message },
        `${name} failed`,
      );
    return failure;
  }

  #failure(error: unknown, wait: number | null): Error {
    const text = error instanceof Error ? error.message : String(error);
    const failure = new Error(redact(text), { cause: error });
    this.#waits.set(failure, wait);
    return failure;
  }

  /** Ends an ordered job: together with its job of the queue, in one statement, if both are in the same database. */
  async #done(job: Job<QueuedData>, data: QueuedData | null): Promise<void> {
    if (data?.key === undefined) return;
    if (this.#with.queue.own) this.#with.endsWith(String(job.attrs._id), data.id);
    else await this.#finish(data.id, false);
  }

  async #finish(id: string, isDead: boolean): Promise<void> {
    const next = await retried(() => finishOrdered(this.#with.queue, id, isDead));
    // The job is in the queue; notifying is only a hint.
    if (next) await this.#with.handed([next]).catch(() => {});
  }

  /** Whether the failure could be recorded in the job's ordered queue. */
  #buried(id: string): Promise<boolean> {
    return this.#finish(id, true).then(
      () => true,
      () => false,
    );
  }

  /** Aborts every running job and lets none begin; all are requeued. */
  giveBack(): void {
    this.#isOver = true;
    for (const { controller } of this.running.values()) controller.abort(RETURNED);
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

/** Retries while the database restarts: a job must not run again only because its end could not be stored. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 10) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100 * attempt));
    }
  }
}

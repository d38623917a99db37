import type { JobParameters, JobState, JobWithState } from "agenda";
import { WAITED_IN_VAIN } from "./eligibility.ts";
import { masked } from "./mask.ts";
import type { JobFilter, Table } from "./queue/table.ts";

/** The operator asked for what a job does not allow; the message is one sentence. */
export class JobRefused extends Error {
  override name = "JobRefused";
  /** Whether there is no such job, rather than one in the wrong state. */
  readonly isGone: boolean;

  constructor(message: string, { isGone = false } = {}) {
    super(message);
    this.isGone = isGone;
  }
}

/** A job as operators see it: the payload masked, instants as ISO text. */
export interface ShownJob {
  id: string;
  name: string;
  state: JobState;
  organisation: string | null;
  due_at: string | null;
  locked_at: string | null;
  failures: number;
  failed_at: string | null;
  error: string | null;
  schedule: string | null;
  payload: unknown;
}

interface Carried {
  id?: string;
  organisation?: string;
  payload?: unknown;
}

const iso = (instant: Date | null | undefined): string | null => (instant ? new Date(instant).toISOString() : null);
const carriedBy = (job: JobParameters): Carried => (job.data ?? {}) as Carried;

function show(job: JobWithState): ShownJob {
  const { id, organisation, payload } = carriedBy(job);
  return {
    id: id ?? String(job._id),
    name: job.name,
    state: job.state,
    organisation: organisation ?? null,
    due_at: iso(job.nextRunAt),
    locked_at: iso(job.lockedAt),
    failures: job.failCount ?? 0,
    failed_at: iso(job.failedAt),
    error: job.failReason ?? null,
    schedule: job.repeatInterval === undefined || job.repeatInterval === null ? null : String(job.repeatInterval),
    payload: masked(payload ?? {}),
  };
}

/** States by which the command line lists jobs. */
export const STATES = ["running", "queued", "scheduled", "repeating", "failed"] as const satisfies readonly JobState[];

/** Lists the queue's jobs, next due first, dead ones from the latest failure. `total` counts at most 100,000. */
export async function listJobs(
  table: Pick<Table, "page">,
  wanted: { name?: string | undefined; state?: JobFilter | undefined; limit: number; skip?: number },
): Promise<{ jobs: ShownJob[]; total: number }> {
  const { jobs, total } = await table.page(wanted);
  return { jobs: jobs.map(show), total };
}

/** Most dead jobs that one command reads. */
const MOST_DEAD = 100_000;

/** Jobs that failed permanently: no retry is scheduled. */
export const deadJobs = async (table: Pick<Table, "page">, name?: string): Promise<readonly JobWithState[]> =>
  (await table.page({ name, state: "dead", limit: MOST_DEAD })).jobs;

export const deadLetters = async (table: Pick<Table, "page">, name?: string): Promise<ShownJob[]> =>
  (await deadJobs(table, name)).map(show);

/** A job of the queue by its own id, or by that of its row. @throws JobRefused when no job has this id */
async function find({ repository }: Pick<Table, "repository">, id: string): Promise<JobWithState> {
  const isRow = /^[0-9a-f-]{36}$|^[0-9a-f]{24}$/.test(id);
  const byRow = isRow ? (await repository.queryJobs({ id }).catch(() => ({ jobs: [] }))).jobs[0] : undefined;
  const found = byRow ?? (await repository.queryJobs({ data: { id } })).jobs[0];
  const gone = `There is no job '${id}': it succeeded, was cancelled, or is past its retention.`;
  if (!found) throw new JobRefused(gone, { isGone: true });
  return found;
}

/** @throws JobRefused when no job has this id */
export const showJob = async (table: Table, id: string): Promise<ShownJob> => show(await find(table, id));

/** Runs a job again now, with all its attempts. @throws JobRefused if it is running */
export async function retryJob({ repository }: Table, job: JobWithState): Promise<ShownJob> {
  if (job.lockedAt) throw new JobRefused(`The job '${carriedBy(job).id ?? job._id}' is running.`);
  const { state: _state, failedAt: _at, failCount: _count, failReason: _reason, lockedAt: _lock, ...kept } = job;
  const again = { ...kept, nextRunAt: new Date() };
  await repository.saveJob(again, { lastModifiedBy: "operator" });
  return show({ ...again, state: "queued" } as JobWithState);
}

/** @throws JobRefused if it does not exist or is running */
export const retryById = async (table: Table, id: string): Promise<ShownJob> => retryJob(table, await find(table, id));

/** Runs all dead jobs, or those of one name, again now. Returns them. */
export async function retryDead(table: Table, name?: string): Promise<ShownJob[]> {
  const jobs: ShownJob[] = [];
  for (const job of await deadJobs(table, name)) jobs.push(await retryJob(table, job));
  return jobs;
}

/**
 * Runs those jobs of an organisation again that failed permanently because it had been suspended for long. Call it once it is active.
 * @returns their number
 */
export async function retryAfterSuspension(table: Table, organisationId: string): Promise<number> {
  const waited = (await deadJobs(table)).filter(
    (job) => carriedBy(job).organisation === organisationId && job.failReason?.includes(WAITED_IN_VAIN) === true,
  );
  for (const job of waited) await retryJob(table, job);
  return waited.length;
}

/** Removes a job that is waiting or has failed permanently. @throws JobRefused if it does not exist or is running */
export async function cancelJob(table: Table, id: string): Promise<ShownJob> {
  const job = await find(table, id);
  if (job.lockedAt) throw new JobRefused(`The job '${id}' is running; it cannot be cancelled.`);
  await table.repository.removeJobs({ id: String(job._id) });
  return show(job);
}

/**
 * Opens an installation's queue. The caller disconnects.
 * @throws Error with a one-sentence message when its store is unreachable
 */
export async function openQueue(jobsUrl: string | undefined, ownerUrl: string): Promise<Table> {
  const table: Table =
    jobsUrl === undefined
      ? new (await import("./queue/postgres.ts")).PostgresTable(ownerUrl, () => {})
      : new (await import("./queue/mongo.ts")).MongoTable(jobsUrl);
  await table.connect();
  return table;
}

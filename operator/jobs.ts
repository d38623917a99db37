import type { JobParameters, JobRepository, JobState, JobWithState } from "agenda";
import type { Config } from "../core/config/config.ts";
import { masked } from "../core/jobs/mask.ts";
import type { Table } from "../core/jobs/queue/table.ts";
import { OperatorError } from "./organisations.ts";

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
    schedule: job.repeatInterval === undefined ? null : String(job.repeatInterval),
    payload: masked(payload ?? {}),
  };
}

export const STATES = ["running", "queued", "scheduled", "repeating", "failed"] as const satisfies readonly JobState[];

/** Lists the queue's jobs, next due first. */
export async function listJobs(
  queue: JobRepository,
  { name, state, limit }: { name?: string | undefined; state?: JobState | undefined; limit: number },
): Promise<{ jobs: ShownJob[]; total: number }> {
  const { jobs, total } = await queue.queryJobs({
    ...(name !== undefined && { name }),
    ...(state !== undefined && { state }),
    sort: { nextRunAt: "asc" },
    limit,
  });
  return { jobs: jobs.map(show), total };
}

/** Jobs that failed permanently: no retry is scheduled. */
export async function deadJobs(queue: JobRepository, name?: string): Promise<JobWithState[]> {
  const { jobs } = await queue.queryJobs({ ...(name !== undefined && { name }), state: "failed" });
  return jobs.filter((job) => !job.nextRunAt);
}

export const deadLetters = async (queue: JobRepository, name?: string): Promise<ShownJob[]> =>
  (await deadJobs(queue, name)).map(show);

/** @throws OperatorError when no job has this id */
async function find(queue: JobRepository, id: string): Promise<JobWithState> {
  const byOurs = await queue.queryJobs({ data: { id } });
  const uuid = /^[0-9a-f-]{36}$|^[0-9a-f]{24}$/.test(id);
  const found = byOurs.jobs[0] ?? (uuid ? (await queue.queryJobs({ id }).catch(() => ({ jobs: [] }))).jobs[0] : undefined);
  if (!found) throw new OperatorError(`There is no job '${id}': it succeeded, was cancelled, or is past its retention.`);
  return found;
}

export const showJob = async (queue: JobRepository, id: string): Promise<ShownJob> => show(await find(queue, id));

/** Runs a job again now, with all its attempts. @throws OperatorError if it is running */
export async function retryJob(queue: JobRepository, job: JobWithState): Promise<ShownJob> {
  if (job.lockedAt) throw new OperatorError(`The job '${carriedBy(job).id ?? job._id}' is running.`);
  const { state: _state, failedAt: _at, failCount: _count, failReason: _reason, lockedAt: _lock, ...kept } = job;
  const again = { ...kept, nextRunAt: new Date() };
  await queue.saveJob(again, { lastModifiedBy: "operator" });
  return show({ ...again, state: "queued" } as JobWithState);
}

export const retryById = async (queue: JobRepository, id: string): Promise<ShownJob> => retryJob(queue, await find(queue, id));

/** Removes a job that is waiting or has failed permanently. @throws OperatorError if it does not exist or is running */
export async function cancelJob(queue: JobRepository, id: string): Promise<ShownJob> {
  const job = await find(queue, id);
  if (job.lockedAt) throw new OperatorError(`The job '${id}' is running; it cannot be cancelled.`);
  await queue.removeJobs({ id: String(job._id) });
  return show(job);
}

/** Opens an installation's queue for the command line. The caller disconnects. */
export async function openQueue(config: Config, ownerUrl: string): Promise<Table> {
  const table: Table =
    config.jobsUrl === undefined
      ? new (await import("../core/jobs/queue/postgres.ts")).PostgresTable(ownerUrl, () => {})
      : new (await import("../core/jobs/queue/mongo.ts")).MongoTable(config.jobsUrl);
  await table.connect();
  return table;
}

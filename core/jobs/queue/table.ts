import type { JobId, JobParameters, JobRepository } from "agenda";
import type { Queue, QueuedJob } from "../store.ts";
import { passingOn } from "./repository.ts";

/** The end of a job in the queue. */
export interface End {
  /** The job's id in the queue. */
  id: string;
  /** Id of the ordered job that ends with it; null if there is none or it has already ended. */
  ordered: string | null;
}

/** What the queue's store must support in addition to Agenda's own interface. */
export interface Table extends Queue {
  /** Agenda's own repository, as it ships. */
  repository: JobRepository;
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  /**
   * Finds the names with a job that is due at `now` (ms), or whose node has died, or that comes up before `until`. Returns their times in
   * ascending order: at most one due time and the first upcoming one. Null if that is expensive here: then ask for each name.
   */
  dueNames(
    locks: ReadonlyMap<string, number>,
    now: number,
    until: number,
  ): Promise<ReadonlyMap<string, readonly number[]> | null>;
  /** Locks the job of a name that has been due longest, or whose lock is older than `deadline`; undefined if there is none. */
  claim(name: string, now: Date, deadline: Date, node: string): Promise<JobParameters | undefined>;
  /** Refreshes the locks of running jobs. */
  touch(ids: readonly string[], at: Date): Promise<void>;
  /** Removes an ended job. Returns the jobs enqueued in its place. */
  end(end: End): Promise<readonly QueuedJob[]>;
  /** The ids (ours) among these that are not in the queue. */
  missing(ids: string[]): Promise<string[]>;
}

/** What the adapter needs from the engine. */
export interface AdapterHost {
  node: string;
  lockOf(name: string): number;
  names(): readonly string[];
  /** How far ahead, in ms, a search looks for upcoming jobs, which get a timer: at least until the next search. */
  horizon: number;
  /** Whether jobs may no longer be fetched. */
  isStopped(): boolean;
  /** Reports the next times of jobs of this name, in ms; `said` is when they were looked up, 0 for a single job's next run. */
  notify(name: string, moments: readonly number[], said: number): void;
  /** A job ended or was released: there may be a free slot for another of its name. */
  freed(name: string): void;
  /** These jobs were enqueued as others ended. */
  handed(jobs: readonly QueuedJob[]): void;
  onTrouble(error: unknown): void;
}

/** A job that this node has locked, until its end is stored. */
interface LockedJob {
  name: string;
  /** When it was due. Agenda changes that at the start of a run; the row keeps it until the end. */
  due: Date | null;
  ordered: string | null;
}

/** The engine's view of the jobs this node has locked. */
export interface TableAdapter {
  /** What Agenda gets: its own repository, except for the search, the start and the end of a job. */
  repository: JobRepository;
  /** Reports work for a name, so that it is fetched without a search first. */
  expect(name: string): void;
  /** Searches for jobs of every name that no notification reported, and reports their times. */
  look(): Promise<void>;
  /** The jobs this node holds locked, by id. */
  held: ReadonlyMap<string, { name: string }>;
  /** Whether no job is held and no running search could still lock one. */
  isIdle(): boolean;
  /** Ends an ordered job together with this job of the queue. */
  endsWith(id: string, ordered: string): void;
}

type SaveOptions = Parameters<JobRepository["saveJobState"]>[1];

const RETRIES = 10;
/** How long, in ms, a search proves that a name without new notifications has no work. */
const JUST_NOW = 100;
/** The lock time reported to Agenda: we refresh the locks, so Agenda never considers one expired and drops its job. */
const KEPT_BY_US = new Date(8.64e15);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * A repository over Agenda's own, whatever the backend. A name costs a statement only when it has work. Each name has its own lock time. Only
 * due jobs are locked, so an upcoming one takes no slot. A run cut off by a dead node is retried, even a scheduled one. The end of a job is
 * written again while the database restarts.
 */
export function adaptTable(table: Table, host: AdapterHost): TableAdapter {
  const own = table.repository;
  const held = new Map<string, LockedJob>();
  let searching = 0;
  /** Names that may have work, each with the number of its latest notification: a search that began before that proves nothing. */
  const busy = new Map<string, number>();
  let words = 0;
  const expect = (name: string) => void busy.set(name, ++words);
  /** When a search last showed that a name has no more jobs, in ms. */
  const drained = new Map<string, number>();
  let search: ReturnType<Table["dueNames"]> | null = null;

  const lookAround = () => {
    search ??= Promise.resolve().then(() => {
      const now = Date.now();
      search = null;
      const locks = new Map(host.names().map((name) => [name, host.lockOf(name)]));
      return table.dueNames(locks, now, now + host.horizon);
    });
    return search;
  };

  const look = async () => {
    const asked = Date.now();
    for (const [name, moments] of (await lookAround()) ?? []) host.notify(name, moments, asked);
  };

  /** Searches the table for a due job of this name; upcoming ones get a timer. */
  const isDue = async (name: string): Promise<boolean> => {
    const asked = Date.now();
    const around = await lookAround();
    const moments = around ? (around.get(name) ?? []) : [0];
    const ahead = moments.filter((moment) => moment > asked);
    if (ahead.length > 0) host.notify(name, ahead, asked);
    return moments.some((moment) => moment <= Date.now());
  };

  /** Locks a due job of a name that may have work. */
  const claim = async (name: string): Promise<JobParameters | undefined> => {
    while (busy.has(name) && !host.isStopped()) {
      const word = busy.get(name);
      const now = new Date();
      const job = await table.claim(name, now, new Date(now.getTime() - host.lockOf(name)), host.node);
      if (!job) {
        if (busy.get(name) !== word) continue;
        busy.delete(name);
        drained.set(name, Date.now());
      } else if (host.isStopped()) await own.unlockJobs([job._id as JobId]).catch(() => {});
      else return job;
    }
    return undefined;
  };

  const next = async (name: string): Promise<JobParameters | undefined> => {
    if (!busy.has(name)) {
      // Agenda requests another job after each one it receives.
      if (Date.now() - (drained.get(name) ?? 0) < JUST_NOW || !(await isDue(name))) return undefined;
      expect(name);
    }
    const job = await claim(name);
    if (!job) return undefined;
    held.set(String(job._id), { name, due: job.nextRunAt, ordered: null });
    // A recurring job found by its expired lock is due now, whatever its row says.
    const now = new Date();
    return { ...job, lockedAt: KEPT_BY_US, nextRunAt: job.nextRunAt && job.nextRunAt > now ? now : job.nextRunAt };
  };

  const getNextJobToRun = async (name: string) => {
    if (host.isStopped()) return undefined;
    searching += 1;
    try {
      return await next(name);
    } finally {
      searching -= 1;
    }
  };

  const retried = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (attempt === RETRIES || host.isStopped()) throw error;
        await pause(100 * attempt);
      }
    }
  };

  const begun = async (job: JobParameters, mine: LockedJob | undefined, options: SaveOptions): Promise<void> => {
    // The claim already recorded the start.
    if (table.own && mine) return;
    await own.saveJobState({ ...job, lockedAt: new Date(), nextRunAt: mine?.due ?? job.nextRunAt }, options).catch((error) => {
      // Agenda then does not run the job; its lock expires.
      held.delete(String(job._id));
      throw error;
    });
  };

  const saveJobState: JobRepository["saveJobState"] = async (job, options) => {
    const id = String(job._id);
    const mine = held.get(id);
    if (job.lockedAt) return begun(job, mine, options);
    const isOver = !job.nextRunAt && !(job.failedAt && job.lastFinishedAt && job.failedAt >= job.lastFinishedAt);
    const end = { id, ordered: mine?.ordered ?? null };
    try {
      if (isOver) await retried(() => table.end(end)).then(host.handed, host.onTrouble);
      else await retried(() => own.saveJobState(job, undefined));
    } finally {
      // Once the end is stored, this node may lock the same job again.
      if (held.get(id) === mine) held.delete(id);
      if (job.nextRunAt) host.notify(job.name, [job.nextRunAt.getTime()], 0);
      // Agenda removes the job from its own lists in the same turn; only then is there a free slot.
      if (busy.has(job.name)) setImmediate(() => host.freed(job.name));
    }
  };

  // Agenda releases a job, without waiting, when others took the last slot meanwhile.
  const unlockJob = async (job: JobParameters) => {
    held.delete(String(job._id));
    await own.unlockJob(job).catch(() => {});
    expect(job.name);
    setImmediate(() => host.freed(job.name));
  };
  const unlockJobs = async (ids: readonly (JobId | string)[]) => {
    for (const id of ids) held.delete(String(id));
    await own.unlockJobs([...ids]);
  };

  const endsWith = (id: string, ordered: string) => {
    const mine = held.get(id);
    if (mine) mine.ordered = ordered;
  };
  const repository = { ...passingOn(own), getNextJobToRun, saveJobState, unlockJob, unlockJobs };
  return { repository, expect, look, held, isIdle: () => held.size === 0 && searching === 0, endsWith };
}

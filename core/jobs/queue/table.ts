import type { JobId, JobParameters, JobRepository } from "agenda";
import type { Queue, QueuedJob } from "../store.ts";
import { Claims } from "./claims.ts";
import { Endings } from "./endings.ts";
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
  /**
   * Locks up to `most` jobs of a name that are due or whose lock is older than `deadline`, in the order in which they should run. Fewer
   * means that there are no others. Called for one name at a time.
   */
  claim(name: string, now: Date, deadline: Date, most: number, node: string): Promise<readonly JobParameters[]>;
  /** Refreshes the locks of running jobs. */
  touch(ids: readonly string[], at: Date): Promise<void>;
  /** Removes ended jobs, in one statement. Returns the jobs enqueued in their place. */
  end(ends: readonly End[]): Promise<readonly QueuedJob[]>;
  /** The ids (ours) among these that are not in the queue. */
  missing(ids: string[]): Promise<string[]>;
}

/** What the adapter needs from the engine. */
export interface AdapterHost {
  node: string;
  lockOf(name: string): number;
  concurrencyOf(name: string): number;
  names(): readonly string[];
  /** How far ahead, in ms, a search looks for upcoming jobs, which get a timer: at least until the next search. */
  horizon: number;
  /** Whether jobs may no longer be fetched. */
  isStopped(): boolean;
  /** Reports the next times of jobs of this name, in ms; `said` is when they were looked up, 0 for a single job's next run. */
  notify(name: string, moments: readonly number[], said: number): void;
  /** A job ended or was released: there is a free slot for another of its name. */
  freed(name: string): void;
  /** These jobs are claimed and about to begin. An error here must not stop them. */
  claimed(jobs: readonly JobParameters[]): Promise<void>;
  /** These jobs were enqueued as others ended. */
  handed(jobs: readonly QueuedJob[]): void;
  onTrouble(error: unknown): void;
  /** Whether requests of this node wait for a database connection. */
  isPressed(): boolean;
}

/** A job that this node has locked: waiting for a slot, running in Agenda, or over with its end not yet stored. */
interface LockedJob {
  name: string;
  /** When it was due. Agenda changes that at the start of a run; the row keeps it until the end. */
  due: Date | null;
  state: "waits" | "runs" | "over";
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
  /** The jobs this node holds locked, by id. A job that is over leaves only after its end is stored. */
  held: ReadonlyMap<string, { name: string }>;
  /** Whether no job is held and no running search could still lock one. */
  isIdle(): boolean;
  /** Ends an ordered job together with this job of the queue. */
  endsWith(id: string, ordered: string): void;
  /** Releases jobs that were claimed at least `age` ms ago and found no free slot. */
  giveBack(age: number): Promise<void>;
}

const RETRIES = 10;
/** How long, in ms, a search proves that a name without new notifications has no work. */
const JUST_NOW = 100;
/** Most ends that may be on their way to the table while other jobs take their slots. */
const MOST_UNWRITTEN = 200;
/** The lock time reported to Agenda: we refresh the locks, so Agenda never considers one expired and drops its job. */
const KEPT_BY_US = new Date(8.64e15);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const idsOf = (jobs: readonly JobParameters[]) => jobs.map(({ _id: id }) => id as JobId);

/**
 * A repository over Agenda's own, whatever the backend. A name costs a statement only when it has work. Each name has its own lock time. Only
 * due jobs are locked, so an upcoming one takes no slot; jobs that end quickly are locked several at a time. A run cut off by a dead node
 * is retried, even a scheduled one. Jobs that end together are removed in one statement, which is retried while the database restarts.
 */
export function adaptTable(table: Table, host: AdapterHost): TableAdapter {
  const own = table.repository;
  const held = new Map<string, LockedJob>();
  let searching = 0;
  /** Names that may have work, each with the number of its latest notification: a search that began before that proves nothing. */
  const busy = new Map<string, number>();
  let words = 0;
  const expect = (name: string) => void busy.set(name, ++words);
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

  /** When a search last showed that a name has no more jobs, in ms. */
  const drained = new Map<string, number>();
  const unlocked = async (jobs: readonly JobParameters[]) => {
    try {
      await own.unlockJobs(idsOf(jobs));
    } finally {
      for (const id of idsOf(jobs)) held.delete(String(id));
    }
  };
  const claim = async (name: string, most: number): Promise<readonly JobParameters[]> => {
    const word = busy.get(name);
    const now = new Date();
    const jobs = await table.claim(name, now, new Date(now.getTime() - host.lockOf(name)), most, host.node);
    if (jobs.length < most && busy.get(name) === word) {
      busy.delete(name);
      drained.set(name, Date.now());
    }
    if (jobs.length === 0) return jobs;
    for (const { _id: id, nextRunAt } of jobs) held.set(String(id), { name, due: nextRunAt, state: "waits", ordered: null });
    if (!host.isStopped()) await host.claimed(jobs);
    if (!host.isStopped()) return jobs;
    // The node began to stop in the meantime.
    await unlocked(jobs).catch(() => {});
    return [];
  };
  const claims = new Claims({ claim, isPressed: () => host.isPressed() });
  const hasWork = (name: string) => busy.has(name) || claims.has(name);
  const placesOf = (name: string) =>
    host.concurrencyOf(name) - [...held.values()].filter((one) => one.name === name && one.state === "runs").length;

  /** Searches the table for a due job of this name; upcoming ones get a timer. */
  const isDue = async (name: string): Promise<boolean> => {
    const asked = Date.now();
    const around = await lookAround();
    const moments = around ? (around.get(name) ?? []) : [0];
    const ahead = moments.filter((moment) => moment > asked);
    if (ahead.length > 0) host.notify(name, ahead, asked);
    return moments.some((moment) => moment <= Date.now());
  };

  const next = async (name: string) => {
    if (!hasWork(name)) {
      // Agenda requests another job after each one it receives.
      if (Date.now() - (drained.get(name) ?? 0) < JUST_NOW || !(await isDue(name))) return undefined;
      expect(name);
    }
    while (!host.isStopped()) {
      const job = claims.take(name);
      const mine = held.get(String(job?._id));
      if (job && mine) {
        mine.state = "runs";
        // A recurring job found by its expired lock is due now, whatever its row says.
        const now = new Date();
        return { ...job, lockedAt: KEPT_BY_US, nextRunAt: job.nextRunAt && job.nextRunAt > now ? now : job.nextRunAt };
      }
      if (!busy.has(name)) return undefined;
      await claims.more(name, () => placesOf(name));
    }
    return undefined;
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
  const endings = new Endings<End>(async (ends) => host.handed(await retried(() => table.end(ends))));
  let unwritten = 0;

  /** A finished job frees its concurrency slot at once; its lock is kept until the end is stored. */
  const over = async (id: string, mine: LockedJob | undefined, letGo: () => void): Promise<void> => {
    if (mine) mine.state = "over";
    unwritten += 1;
    const written = endings
      .add({ id, ordered: mine?.ordered ?? null })
      .catch(host.onTrouble)
      .finally(() => {
        unwritten -= 1;
        letGo();
      });
    if (unwritten > MOST_UNWRITTEN) await written;
  };

  const saveJobState: JobRepository["saveJobState"] = async (job, options) => {
    const id = String(job._id);
    const mine = held.get(id);
    // Once the end is stored, this node may lock the same job again.
    const letGo = () => void (held.get(id) === mine && held.delete(id));
    if (job.lockedAt) {
      // The claim already recorded the start.
      if (table.own && mine) return;
      return own.saveJobState({ ...job, lockedAt: new Date(), nextRunAt: mine?.due ?? job.nextRunAt }, options).catch((error) => {
        // Agenda then does not run the job; its lock expires.
        letGo();
        throw error;
      });
    }
    claims.ended(job.name);
    const isOver = !job.nextRunAt && !(job.failedAt && job.lastFinishedAt && job.failedAt >= job.lastFinishedAt);
    try {
      if (isOver) await over(id, mine, letGo);
      else await retried(() => own.saveJobState(job, undefined)).finally(letGo);
    } finally {
      if (job.nextRunAt) host.notify(job.name, [job.nextRunAt.getTime()], 0);
      // Agenda removes the job from its own lists in the same turn; only then is there a free slot.
      if (hasWork(job.name)) setImmediate(() => host.freed(job.name));
    }
  };

  // Agenda releases a job, without waiting, when others took the last slot meanwhile. A slot may be about to free up, so we keep the claim.
  const unlockJob = async (job: JobParameters) => {
    const mine = held.get(String(job._id));
    if (mine && !host.isStopped()) {
      mine.state = "waits";
      claims.back({ ...job, nextRunAt: mine.due });
      setImmediate(() => host.freed(job.name));
      return;
    }
    held.delete(String(job._id));
    await own.unlockJob(job).catch(() => {});
  };
  const unlockJobs = async (ids: readonly (JobId | string)[]) => {
    for (const id of ids) held.delete(String(id));
    await own.unlockJobs([...ids]);
  };

  const giveBack = async (age: number) => {
    const left = claims.leave(age);
    if (left.length === 0) return;
    for (const { name } of left) expect(name);
    await unlocked(left);
  };
  const endsWith = (id: string, ordered: string) => {
    const mine = held.get(id);
    if (mine) mine.ordered = ordered;
  };
  const repository = { ...passingOn(own), getNextJobToRun, saveJobState, unlockJob, unlockJobs };
  return { repository, expect, look, held, isIdle: () => held.size === 0 && searching === 0, endsWith, giveBack };
}

import type { JobId, JobParameters, JobRepository, JobState, JobWithState } from "agenda";
import type { Queue, QueuedJob } from "../store.ts";
import { Claims } from "./claims.ts";
import { passingOn } from "./repository.ts";
import { Search } from "./search.ts";

/** The end of a job in the queue. */
export interface End {
  /** The job's id in the queue. */
  id: string;
  /** Id of the ordered job that ends with it; null if there is none or it has already ended. */
  ordered: string | null;
}

/** A state of jobs, as Agenda computes it; `dead` for failed ones without a further attempt. */
export type JobFilter = JobState | "dead";

/** Jobs of one name in the queue, of all nodes. */
export interface Backlog {
  name: string;
  /** Due, and no node runs them yet. */
  due: number;
  running: number;
  /** Due later. */
  waiting: number;
  /** Failed for good. */
  dead: number;
  /** Seconds since the longest due one was due; 0 if none is. */
  oldest_seconds: number;
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
  /** Most jobs that one claim locks. */
  mostClaimed: number;
  /**
   * Locks at most `most` jobs of a name, those due longest and those whose lock is older than `deadline`. Fewer if there are no more.
   * @param byTime false: jobs that clocks set off come after all others
   */
  claim(name: string, now: Date, deadline: Date, node: string, most: number, byTime: boolean): Promise<readonly JobParameters[]>;
  /** Refreshes the locks of running jobs. */
  touch(ids: readonly string[], at: Date): Promise<void>;
  /** Removes an ended job. Returns the jobs enqueued in its place and in that of others that end with it; undefined for those others. */
  end(end: End): Promise<readonly QueuedJob[] | undefined>;
  /** The ids (ours) among these that are not in the queue. */
  missing(ids: string[]): Promise<string[]>;
  /** Jobs by name and state, next due first, dead ones from the latest failure. `total` counts at most 100,000 that match. */
  page(wanted: {
    name?: string | undefined;
    state?: JobFilter | undefined;
    limit: number;
    skip?: number;
  }): Promise<{ jobs: readonly JobWithState[]; total: number }>;
  /** The jobs of each name in the queue, by name. Counts at most 100,000 of each state. */
  backlog(): Promise<Backlog[]>;
}

/** What the adapter needs from the engine. */
export interface AdapterHost {
  node: string;
  lockOf(name: string): number;
  /** Most jobs of a name that this node runs at once. */
  slotsOf(name: string): number;
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

type SaveOptions = Parameters<JobRepository["saveJobState"]>[1];

const RETRIES = 10;
/** How long, in ms, a search proves that a name without new notifications has no work. */
const JUST_NOW = 100;
/** The lock time reported to Agenda: we refresh the locks, so Agenda never considers one expired and drops its job. */
const KEPT_BY_US = new Date(8.64e15);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * A repository over Agenda's own, whatever the backend, and the jobs that this node has locked. A name costs a statement only when it has
 * work. Each name has its own lock time. Only due jobs are locked, so an upcoming one takes no slot. A run cut off by a dead node is retried,
 * even a scheduled one. The end of a job is written again while the database restarts.
 */
export class TableAdapter {
  /** What Agenda gets: its own repository, except for the search, the start, the end and the release of a job. */
  readonly repository: JobRepository;
  readonly #table: Table;
  readonly #host: AdapterHost;
  readonly #search: Search;
  readonly #held = new Map<string, LockedJob>();
  /** Locked jobs by name, the longest due first, that Agenda has not requested yet: it does so one by one, in the same turn. */
  readonly #waiting = new Map<string, JobParameters[]>();
  readonly #claims = new Claims();
  /** The running claim of a name: those who ask meanwhile share it. */
  readonly #claiming = new Map<string, Promise<void>>();
  /** Running searches by name: each may lock a job. */
  readonly #searching = new Map<string, number>();
  /** Names that may have work, each with the number of its latest notification: a search that began before that proves nothing. */
  readonly #busy = new Map<string, number>();
  #words = 0;
  /** When a search last showed that a name has no more jobs, in ms. */
  readonly #drained = new Map<string, number>();

  constructor(table: Table, host: AdapterHost) {
    this.#table = table;
    this.#host = host;
    this.#search = new Search(() => {
      const now = Date.now();
      const locks = new Map(host.names().map((name) => [name, host.lockOf(name)]));
      return table.dueNames(locks, now, now + host.horizon);
    }, host.notify);
    this.repository = {
      ...passingOn(table.repository),
      getNextJobToRun: (name) => this.#next(name),
      saveJobState: (job, options) => (job.lockedAt ? this.#begun(job, options) : this.#ended(job)),
      unlockJob: (job) => this.#released(job),
      unlockJobs: (ids) => this.#unlocked(ids),
    };
  }

  /** The jobs this node holds locked, by id. */
  get held(): ReadonlyMap<string, { name: string }> {
    return this.#held;
  }

  /** Whether no job is held and no running search could still lock one. */
  isIdle(): boolean {
    return this.#held.size === 0 && this.#searching.size === 0;
  }

  /** Reports work for a name, so that it is fetched without a search first. */
  expect = (name: string): void => void this.#busy.set(name, ++this.#words);

  /** Searches for jobs of every name that no notification reported, and reports their times. */
  look(): Promise<void> {
    return this.#search.look();
  }

  /** Ends an ordered job together with this job of the queue. */
  endsWith(id: string, ordered: string): void {
    const mine = this.#held.get(id);
    if (mine) mine.ordered = ordered;
  }

  async #next(name: string): Promise<JobParameters | undefined> {
    if (this.#host.isStopped()) return undefined;
    const waiting = this.#take(name);
    if (waiting) return waiting;
    if (!this.#hasRoom(name)) {
      this.expect(name);
      return undefined;
    }
    this.#count(name, 1);
    try {
      if (await this.#mayHaveWork(name)) await this.#claim(name);
      return this.#take(name);
    } finally {
      this.#count(name, -1);
    }
  }

  /** The next locked job of a name for Agenda. */
  #take(name: string): JobParameters | undefined {
    const job = this.#waiting.get(name)?.shift();
    if (!job) return undefined;
    // A recurring job found by its expired lock is due now, whatever its row says.
    const now = new Date();
    return { ...job, lockedAt: KEPT_BY_US, nextRunAt: job.nextRunAt && job.nextRunAt > now ? now : job.nextRunAt };
  }

  #count(name: string, change: 1 | -1): void {
    const searches = (this.#searching.get(name) ?? 0) + change;
    if (searches > 0) this.#searching.set(name, searches);
    else this.#searching.delete(name);
  }

  /** Whether the held jobs and running searches of a name leave a slot. Agenda asks many times at once, and releases what it cannot run. */
  #hasRoom(name: string): boolean {
    return this.#room(name) > (this.#searching.get(name) ?? 0);
  }

  /** The slots of a name that no held job has. */
  #room(name: string): number {
    let room = this.#host.slotsOf(name);
    for (const held of this.#held.values()) if (held.name === name) room -= 1;
    return room;
  }

  async #mayHaveWork(name: string): Promise<boolean> {
    if (this.#busy.has(name)) return true;
    // Agenda requests another job after each one it receives.
    if (Date.now() - (this.#drained.get(name) ?? 0) < JUST_NOW) return false;
    if (await this.#search.isDue(name)) this.expect(name);
    // A notification during the search may have found no room beside it.
    return this.#busy.has(name);
  }

  /** Locks due jobs of a name that may have work, one for each free slot. */
  #claim(name: string): Promise<void> {
    let running = this.#claiming.get(name);
    if (!running) this.#claiming.set(name, (running = this.#lockSome(name).finally(() => this.#claiming.delete(name))));
    return running;
  }

  async #lockSome(name: string): Promise<void> {
    while (this.#busy.has(name) && !this.#host.isStopped()) {
      const most = Math.min(this.#room(name), this.#table.mostClaimed);
      if (most <= 0) return;
      const word = this.#busy.get(name);
      const now = new Date();
      const deadline = new Date(now.getTime() - this.#host.lockOf(name));
      const jobs = await this.#table.claim(name, now, deadline, this.#host.node, most, this.#claims.isByTime(name));
      if (this.#host.isStopped()) return this.#returned(jobs);
      for (const job of jobs) this.#held.set(String(job._id), { name, due: job.nextRunAt, ordered: null });
      this.#waiting.set(name, [...(this.#waiting.get(name) ?? []), ...jobs]);
      if (jobs.length < most && this.#busy.get(name) === word) {
        this.#busy.delete(name);
        this.#drained.set(name, Date.now());
      }
      if (jobs.length > 0) return;
    }
  }

  async #returned(jobs: readonly JobParameters[]): Promise<void> {
    if (jobs.length > 0) await this.#unlocked(jobs.map(({ _id: id }) => id as JobId)).catch(() => {});
  }

  /** Unlocks the jobs that Agenda has not requested, now that the node stops. */
  async returnWaiting(): Promise<void> {
    const jobs = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    await this.#returned(jobs);
  }

  async #begun(job: JobParameters, options: SaveOptions): Promise<void> {
    const mine = this.#held.get(String(job._id));
    // The claim already recorded the start.
    if (this.#table.own && mine) return;
    const started = { ...job, lockedAt: new Date(), nextRunAt: mine?.due ?? job.nextRunAt };
    await this.#table.repository.saveJobState(started, options).catch((error) => {
      // Agenda then does not run the job; its lock expires.
      this.#held.delete(String(job._id));
      throw error;
    });
  }

  /** Stores how a run ended: its row goes, or waits for the next run. */
  async #ended(job: JobParameters): Promise<void> {
    const id = String(job._id);
    const mine = this.#held.get(id);
    const isOver = !job.nextRunAt && !(job.failedAt && job.lastFinishedAt && job.failedAt >= job.lastFinishedAt);
    const end = { id, ordered: mine?.ordered ?? null };
    try {
      if (isOver)
        await this.#retried(() => this.#table.end(end)).then(
          (handed) => handed && this.#host.handed(handed),
          this.#host.onTrouble,
        );
      else await this.#retried(() => this.#table.repository.saveJobState(job, undefined));
    } finally {
      // Once the end is stored, this node may lock the same job again.
      if (this.#held.get(id) === mine) this.#held.delete(id);
      if (job.nextRunAt) this.#host.notify(job.name, [job.nextRunAt.getTime()], 0);
      this.#free(job.name);
    }
  }

  async #retried<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (attempt === RETRIES || this.#host.isStopped()) throw error;
        await pause(100 * attempt);
      }
    }
  }

  /** Agenda releases a job, without waiting, when others took the last slot meanwhile. */
  async #released(job: JobParameters): Promise<void> {
    this.#held.delete(String(job._id));
    await this.#table.repository.unlockJob(job).catch(() => {});
    this.expect(job.name);
    this.#free(job.name);
  }

  async #unlocked(ids: readonly (JobId | string)[]): Promise<void> {
    for (const id of ids) this.#held.delete(String(id));
    await this.#table.repository.unlockJobs([...ids]);
  }

  /** Reports a free slot. Agenda removes the job from its own lists in the same turn; only then is the slot free. */
  #free(name: string): void {
    if (this.#busy.has(name) || this.#waiting.get(name)?.length) setImmediate(() => this.#host.freed(name));
  }
}

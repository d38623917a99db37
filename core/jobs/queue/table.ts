import type { JobId, JobParameters, JobRepository } from "agenda";
import type { Handed, Queue } from "../store.ts";
import { Claims } from "./claims.ts";
import { Endings } from "./endings.ts";

/** A job of the queue that is over. */
export interface End {
  /** Its id in the queue. */
  id: string;
  /** Id of the ordered job that ends with it, null when there is none, or when that has ended already. */
  ordered: string | null;
}

/** What a backend of Agenda can do beyond Agenda's own interface. */
export interface Table extends Queue {
  repository: JobRepository;
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  /**
   * Of the names those that have a job to run at `now` (ms), or one whose node has died, or one that comes up before `until`, with
   * those moments in ascending order: at most one that has come and the first that has not. Null: cannot be told cheaply, so ask for each.
   */
  dueNames(
    locks: ReadonlyMap<string, number>,
    now: number,
    until: number,
  ): Promise<ReadonlyMap<string, readonly number[]> | null>;
  /**
   * Locks jobs of a name that are due, and those whose lock is older than `deadline`: so many, in the order they are to run in. Fewer
   * means that there are no others. Asked for one name at a time.
   */
  claim(name: string, now: Date, deadline: Date, most: number, node: string): Promise<readonly JobParameters[]>;
  /** Keeps the locks of running jobs. */
  touch(ids: readonly string[], at: Date): Promise<void>;
  /** Removes jobs that are over, in one statement. Gives what is handed over in their place. */
  end(ends: readonly End[]): Promise<readonly Handed[]>;
  /** Of these job ids (ours) those the queue does not hold. */
  missing(ids: string[]): Promise<string[]>;
}

/** What the engine wants to know and decide about Agenda's reads and writes. */
export interface AdapterHost {
  node: string;
  lockOf(name: string): number;
  concurrencyOf(name: string): number;
  names(): readonly string[];
  /** Jobs of this name may be fetched no more. */
  isStopped(): boolean;
  /** A job of this name has these next moments, in ms; `said` is when that was looked up, 0 for a moment that stands by itself. */
  notify(name: string, moments: readonly number[], said: number): void;
  /** A job ended or was given back: there is room for another of its name. */
  freed(name: string): void;
  /** These jobs were claimed and will begin in a moment. What goes wrong here must not keep them from it. */
  claimed(jobs: readonly JobParameters[]): Promise<void>;
  /** Came into the queue as others ended. */
  handed(jobs: readonly Handed[]): void;
  onTrouble(error: unknown): void;
  /** Whether requests of this node wait for the database. */
  isPressed(): boolean;
}

/** A job that this node has locked: waiting for its place, with Agenda, or over and not yet written down. */
interface Held {
  name: string;
  /** When it was due. Agenda moves that at the start of a run; the row keeps it to the end. */
  due: Date | null;
  state: "waits" | "runs" | "over";
  ordered: string | null;
}

/** What the engine learns of the jobs this node has locked. */
export interface TableAdapter {
  /** Says that there is work for a name, so that it is fetched without looking around first. */
  expect(name: string): void;
  /** The jobs this node has locked and not yet given up, each with its name: its end stands in the table before it leaves this list. */
  held: ReadonlyMap<string, { name: string }>;
  /** Whether nothing is held and no search is under way that could still lock something. */
  isIdle(): boolean;
  /** The end of this job of the queue is to be the end of an ordered one, too. */
  endsWith(id: string, ordered: string): void;
  /** Gives back what was claimed so long ago, in ms, and found no place. */
  giveBack(age: number): Promise<void>;
}

const RETRIES = 10;
/** A search shows for so long, in ms, that a name of which nothing else is told has no work. */
const JUST_NOW = 100;
/** Ends that may be on their way to the table while others begin in their places. */
const MOST_UNWRITTEN = 200;
/** What Agenda believes of the lock of a job: the house keeps it, so Agenda never finds one run out and drops no job for it. */
const KEPT_BY_US = new Date(8.64e15);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const idsOf = (jobs: readonly JobParameters[]) => jobs.map(({ _id: id }) => id as JobId);

/**
 * Makes Agenda's repository behave as the house needs it, whatever the backend:
 * a name costs a statement only when it has work; each name has a lock time of its own; only what is due is locked, so that a job of
 * the near future takes no place; several are locked at once where they end quickly; a run that was cut off by a dead node comes back,
 * also when a schedule made it; what ends at the same time is removed in one statement, and that is tried again while the database
 * restarts.
 */
export function adaptTable(table: Table, host: AdapterHost): TableAdapter {
  const { repository } = table;
  const save = repository.saveJobState.bind(repository);
  const unlock = repository.unlockJob.bind(repository);
  const unlockAll = repository.unlockJobs.bind(repository);
  const held = new Map<string, Held>();
  let searching = 0;
  /** Names that may have work, each with the number of the last word about it: a search that began before it proves nothing. */
  const busy = new Map<string, number>();
  let words = 0;
  const expect = (name: string) => void busy.set(name, ++words);
  let search: ReturnType<Table["dueNames"]> | null = null;

  const lookAround = () => {
    search ??= Promise.resolve().then(() => {
      const now = Date.now();
      search = null;
      const locks = new Map(host.names().map((name) => [name, host.lockOf(name)]));
      return table.dueNames(locks, now, now + 2 * SCAN);
    });
    return search;
  };

  /** When a search last showed that a name has nothing more, in ms. */
  const drained = new Map<string, number>();
  const unlocked = async (jobs: readonly JobParameters[]) => {
    try {
      await unlockAll(idsOf(jobs));
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
    // The node began to stop meanwhile.
    await unlocked(jobs).catch(() => {});
    return [];
  };
  const claims = new Claims({ claim, isPressed: () => host.isPressed() });
  const hasWork = (name: string) => busy.has(name) || claims.has(name);
  const placesOf = (name: string) =>
    host.concurrencyOf(name) - [...held.values()].filter((one) => one.name === name && one.state === "runs").length;

  /** Whether a job of this name is due now, by a look at the table; what comes up soon gets its timer. */
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
      // Agenda asks for another after each that it gets.
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

  repository.getNextJobToRun = async (name) => {
    if (host.isStopped()) return undefined;
    searching += 1;
    try {
      return await next(name);
    } finally {
      searching -= 1;
    }
  };

  const patiently = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (attempt === RETRIES || host.isStopped()) throw error;
        await pause(100 * attempt);
      }
    }
  };
  const endings = new Endings<End>(async (ends) => host.handed(await patiently(() => table.end(ends))));
  let unwritten = 0;

  /** The place of a job that is over is free before its end is written: it stays held until then. */
  const over = async (id: string, mine: Held | undefined, letGo: () => void): Promise<void> => {
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

  repository.saveJobState = async (job, options) => {
    const id = String(job._id);
    const mine = held.get(id);
    // Once its end is written the same job may be locked here anew.
    const letGo = () => void (held.get(id) === mine && held.delete(id));
    if (job.lockedAt) {
      // What there is to say of the start was written as it was claimed.
      if (table.own && mine) return;
      return save({ ...job, lockedAt: new Date(), nextRunAt: mine?.due ?? job.nextRunAt }, options).catch((error) => {
        // Agenda does not run it then; its lock runs out.
        letGo();
        throw error;
      });
    }
    claims.ended(job.name);
    const isOver = !job.nextRunAt && !(job.failedAt && job.lastFinishedAt && job.failedAt >= job.lastFinishedAt);
    try {
      if (isOver) await over(id, mine, letGo);
      else await patiently(() => save(job, undefined)).finally(letGo);
    } finally {
      if (job.nextRunAt) host.notify(job.name, [job.nextRunAt.getTime()], 0);
      // Agenda takes the job off its own lists in the same turn; after that there is room.
      if (hasWork(job.name)) setImmediate(() => host.freed(job.name));
    }
  };

  // Agenda gives a job back when others took the last place meanwhile, and does not wait for it. One of them may be about to end.
  repository.unlockJob = async (job) => {
    const mine = held.get(String(job._id));
    if (mine && !host.isStopped()) {
      mine.state = "waits";
      claims.back({ ...job, nextRunAt: mine.due });
      setImmediate(() => host.freed(job.name));
      return;
    }
    held.delete(String(job._id));
    await unlock(job).catch(() => {});
  };
  repository.unlockJobs = async (ids) => {
    for (const id of ids) held.delete(String(id));
    await unlockAll(ids);
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
  return { expect, held, isIdle: () => held.size === 0 && searching === 0, endsWith, giveBack };
}

/** A table as Agenda takes it; connecting stays with the engine. */
export const backendOf = ({ repository }: Table) => ({
  name: "kantoor",
  repository,
  connect: async () => {},
  disconnect: async () => {},
  ownsConnection: false,
});

/** How far ahead, in ms, a search for work looks at least, so that what comes up soon gets a timer. */
export const SCAN = 5_000;

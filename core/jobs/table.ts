import type { JobParameters, JobRepository, JobRepositoryOptions } from "agenda";
import type { Queue } from "./store.ts";

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
  /** Keeps the locks of running jobs. */
  touch(ids: readonly string[], at: Date): Promise<void>;
  /** Removes one job that ended. */
  remove(job: JobParameters): Promise<void>;
  /** Of these job ids (ours) those the queue does not hold. */
  missing(ids: string[]): Promise<string[]>;
}

/** What the engine wants to know and decide about Agenda's reads and writes. */
export interface AdapterHost {
  lockOf(name: string): number;
  names(): readonly string[];
  /** Jobs of this name may be fetched no more. */
  isStopped(): boolean;
  /** A job of this name has these next moments, in ms; `said` is when that was looked up, 0 for a moment that stands by itself. */
  notify(name: string, moments: readonly number[], said: number): void;
  /** A job ended or was given back: there is room for another of its name. */
  freed(name: string): void;
}

/** What the engine learns of the jobs this node has locked. */
export interface TableAdapter {
  /** Says that there is work for a name, so that it is fetched without looking around first. */
  expect(name: string): void;
  /** The jobs this node has locked and not yet given up, each with its name: its end stands in the table before it leaves this list. */
  held: ReadonlyMap<string, { name: string }>;
  /** Whether nothing is held and no search is under way that could still lock something. */
  isIdle(): boolean;
}

const RETRIES = 10;
/** What Agenda believes of the lock of a job: the house keeps it, so Agenda never finds one run out and drops no job for it. */
const KEPT_BY_US = new Date(8.64e15);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Makes Agenda's repository behave as the house needs it, whatever the backend:
 * a name costs a statement only when it has work; each name has a lock time of its own; only what is due is locked, so that a job of
 * the near future takes no place; a run that was cut off by a dead node comes back, also when a schedule made it; what has ended is
 * removed in one statement, and that is tried again while the database restarts.
 */
export function adaptTable(table: Table, host: AdapterHost): TableAdapter {
  const { repository } = table;
  const fetchNext = repository.getNextJobToRun.bind(repository);
  const save = repository.saveJobState.bind(repository);
  const unlock = repository.unlockJob.bind(repository);
  const unlockAll = repository.unlockJobs.bind(repository);
  /** With the moment each was due. Agenda moves it at the start of a run; the row keeps it to the end. */
  const held = new Map<string, { name: string; due: Date | null }>();
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

  const take = (name: string, options: JobRepositoryOptions | undefined) => {
    const now = new Date();
    return fetchNext(name, now, new Date(now.getTime() - host.lockOf(name)), now, options);
  };
  // A store that only speaks MongoDB's language may give one job to two searches at once.
  const turns = new Map<string, Promise<unknown>>();
  const oneAtATime = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const turn = (turns.get(name) ?? Promise.resolve()).then(work);
    turns.set(
      name,
      turn.catch(() => {}),
    );
    return turn;
  };

  /** Whether a job of this name is due now, by a look at the table; what comes up soon gets its timer. */
  const isDue = async (name: string): Promise<boolean> => {
    const asked = Date.now();
    const around = await lookAround();
    const moments = around ? (around.get(name) ?? []) : [0];
    const ahead = moments.filter((moment) => moment > asked);
    if (ahead.length > 0) host.notify(name, ahead, asked);
    return moments.some((moment) => moment <= Date.now());
  };

  const next = async (name: string, options: JobRepositoryOptions | undefined) => {
    if (!busy.has(name) && !(await isDue(name))) return undefined;
    const word = busy.get(name);
    const job = await (table.own ? take(name, options) : oneAtATime(name, () => take(name, options)));
    if (!job) {
      if (busy.get(name) === word) busy.delete(name);
      return undefined;
    }
    // The node began to stop while the table was asked.
    if (host.isStopped()) {
      await unlock(job).catch(() => {});
      return undefined;
    }
    expect(name);
    held.set(String(job._id), { name, due: job.nextRunAt });
    // A recurring job found by its expired lock is due now, whatever its row says.
    const now = new Date();
    return { ...job, lockedAt: KEPT_BY_US, nextRunAt: job.nextRunAt && job.nextRunAt > now ? now : job.nextRunAt };
  };

  repository.getNextJobToRun = async (name, _nextScanAt, _lockDeadline, _now, options) => {
    if (host.isStopped()) return undefined;
    searching += 1;
    try {
      return await next(name, options);
    } finally {
      searching -= 1;
    }
  };

  const ended = async (job: JobParameters) => {
    const isOver = !job.nextRunAt && !(job.failedAt && job.lastFinishedAt && job.failedAt >= job.lastFinishedAt);
    if (isOver) await table.remove(job);
    else await save(job, undefined);
  };

  repository.saveJobState = async (job, options) => {
    const id = String(job._id);
    const mine = held.get(id);
    // Once its end is written the same job may be locked here anew.
    const letGo = () => void (held.get(id) === mine && held.delete(id));
    if (job.lockedAt)
      return save({ ...job, lockedAt: new Date(), nextRunAt: mine?.due ?? job.nextRunAt }, options).catch((error) => {
        // Agenda does not run it then; its lock runs out.
        letGo();
        throw error;
      });
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await ended(job);
        } catch (error) {
          if (attempt === RETRIES || host.isStopped()) throw error;
          await pause(100 * attempt);
        }
      }
    } finally {
      letGo();
      if (job.nextRunAt) host.notify(job.name, [job.nextRunAt.getTime()], 0);
      // Agenda takes the job off its own lists in the same turn; after that there is room.
      if (busy.has(job.name)) setImmediate(() => host.freed(job.name));
    }
  };

  // Agenda gives a job back when others took the last place meanwhile, and does not wait for it: by the time the row is free they may
  // have ended, so the engine has to look again. A failure only means that the lock has to run out.
  repository.unlockJob = async (job) => {
    held.delete(String(job._id));
    await unlock(job).catch(() => {});
    expect(job.name);
    if (!host.isStopped()) host.freed(job.name);
  };
  repository.unlockJobs = async (ids) => {
    for (const id of ids) held.delete(String(id));
    await unlockAll(ids);
  };
  return { expect, held, isIdle: () => held.size === 0 && searching === 0 };
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

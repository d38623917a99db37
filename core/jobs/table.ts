import type { JobParameters, JobRepository, JobRepositoryOptions } from "agenda";
import type { Queue } from "./store.ts";

/** What a backend of Agenda can do beyond Agenda's own interface. */
export interface Table extends Queue {
  repository: JobRepository;
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  /** Of the names those that have a job to run at `now` (ms), or one whose node has died; null: cannot be told cheaply, so ask for each. */
  dueNames(locks: ReadonlyMap<string, number>, now: number, until: number): Promise<ReadonlyMap<string, number> | null>;
  /** Keeps the locks of running jobs. */
  touch(ids: readonly string[], at: Date): Promise<void>;
  /** Removes one job that ended. */
  remove(job: JobParameters): Promise<void>;
  /** Of these job ids (ours) those the queue does not hold. */
  missing(ids: string[]): Promise<string[]>;
}

/** What the engine wants to know and decide about Agenda's reads and writes. */
export interface Steering {
  lockOf(name: string): number;
  names(): readonly string[];
  /** Jobs of this name may be fetched no more. */
  isStopped(): boolean;
  /** A job of this name has a next moment, in ms. */
  wake(name: string, due: number): void;
  /** A job ended or was given back: there is room for another of its name. */
  freed(name: string): void;
}

const RETRIES = 10;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Makes Agenda's repository behave as the house needs it, whatever the backend:
 * a name costs a statement only when it has work; each name has a lock time of its own; only what is due is locked, so that a job of
 * the near future takes no place; a run that was cut off by a dead node comes back, also when a schedule made it; what has ended is
 * removed in one statement, and that is tried again while the database restarts.
 * @returns a way to say that there is work for a name, so that it is fetched without looking around first
 */
export function steer(table: Table, steering: Steering): { expect(name: string): void } {
  const { repository } = table;
  const fetchNext = repository.getNextJobToRun.bind(repository);
  const save = repository.saveJobState.bind(repository);
  const unlock = repository.unlockJob.bind(repository);
  /** The moment each running job was due. Agenda moves it at the start of a run; the row keeps it to the end. */
  const dueOf = new Map<string, Date | null>();
  /** Names that may have work, each with the number of the last word about it: a search that began before it proves nothing. */
  const busy = new Map<string, number>();
  let words = 0;
  const expect = (name: string) => void busy.set(name, ++words);
  let search: Promise<ReadonlyMap<string, number> | null> | null = null;

  const lookAround = () => {
    search ??= Promise.resolve().then(() => {
      const now = Date.now();
      search = null;
      const locks = new Map(steering.names().map((name) => [name, steering.lockOf(name)]));
      return table.dueNames(locks, now, now + 2 * SCAN);
    });
    return search;
  };

  const take = (name: string, options: JobRepositoryOptions | undefined) => {
    const now = new Date();
    return fetchNext(name, now, new Date(now.getTime() - steering.lockOf(name)), now, options);
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

  repository.getNextJobToRun = async (name, _nextScanAt, _lockDeadline, _now, options) => {
    if (steering.isStopped()) return undefined;
    if (!busy.has(name)) {
      const due = await lookAround();
      const moment = due ? due.get(name) : 0;
      if (moment === undefined) return undefined;
      if (moment > Date.now()) {
        steering.wake(name, moment);
        return undefined;
      }
    }
    const word = busy.get(name);
    const job = await (table.own ? take(name, options) : oneAtATime(name, () => take(name, options)));
    if (!job) {
      if (busy.get(name) === word) busy.delete(name);
      return undefined;
    }
    expect(name);
    dueOf.set(String(job._id), job.nextRunAt);
    // A recurring job found by its expired lock is due now, whatever its row says.
    const now = new Date();
    return job.nextRunAt && job.nextRunAt > now ? { ...job, nextRunAt: now } : job;
  };

  const ended = async (job: JobParameters) => {
    const isOver = !job.nextRunAt && !(job.failedAt && job.lastFinishedAt && job.failedAt >= job.lastFinishedAt);
    if (isOver) await table.remove(job);
    else await save(job, undefined);
  };

  repository.saveJobState = async (job, options) => {
    if (job.lockedAt) return save({ ...job, nextRunAt: dueOf.get(String(job._id)) ?? job.nextRunAt }, options);
    dueOf.delete(String(job._id));
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await ended(job);
        } catch (error) {
          if (attempt === RETRIES || steering.isStopped()) throw error;
          await pause(100 * attempt);
        }
      }
    } finally {
      if (job.nextRunAt) steering.wake(job.name, job.nextRunAt.getTime());
      // Agenda takes the job off its own lists in the same turn; after that there is room.
      if (busy.has(job.name)) setImmediate(() => steering.freed(job.name));
    }
  };

  // Agenda gives a job back when others took the last place meanwhile, and does not wait for it: by the time the row is free they may
  // have ended, so somebody has to look again. A failure only means that the lock has to run out.
  repository.unlockJob = async (job) => {
    await unlock(job).catch(() => {});
    expect(job.name);
    if (!steering.isStopped()) steering.freed(job.name);
  };
  return { expect };
}

/** How far ahead, in ms, a search for work looks at least, so that what comes up soon gets a timer. */
export const SCAN = 5_000;

import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";
import { emptyResult, type Job, type Result, type Word } from "./messages.ts";

const WORKER = path.join(import.meta.dirname, "worker.ts");

/** Longest time of one job in milliseconds: a hanging test fails instead of waiting forever. `TEST_LONGEST` sets it in seconds. */
const LONGEST = Number(process.env["TEST_LONGEST"] ?? 2400) * 1000;
/** Longest time for a process to clean up when no job is left. */
const LEAVING = 240_000;
/** A process that has more memory than this after a job, in bytes, ends, and another takes its place. */
const MOST_MEMORY = 900 * 2 ** 20;

interface Options {
  workers: number;
  env: NodeJS.ProcessEnv;
  /** Milliseconds after which no other job begins; unlimited without it. */
  within?: number | undefined;
  /** Called for each job when it is done. */
  onDone(result: Result): void;
}

/** Kills a process of the pool and what its tests started, which is in its group. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/**
 * Runs jobs in parallel processes; each takes the next one in the order given. A process that dies or hangs counts as one failed test of
 * its job, and another replaces it.
 */
export class Pool {
  readonly #jobs: Job[];
  readonly #options: Options;
  readonly #children = new Set<ChildProcess>();
  #ended = false;
  /** When the last job may begin, by the clock of `performance`. */
  readonly #last: number;

  constructor(jobs: readonly Job[], options: Options) {
    this.#jobs = [...jobs];
    this.#options = options;
    this.#last = performance.now() + (options.within ?? Number.POSITIVE_INFINITY);
  }

  /** Jobs that did not fit into the time. */
  get left(): readonly Job[] {
    return this.#jobs;
  }

  get #goesOn(): boolean {
    return this.#jobs.length > 0 && !this.#ended && performance.now() < this.#last;
  }

  async run(): Promise<void> {
    const workers = Math.min(this.#options.workers, this.#jobs.length);
    await Promise.all(
      Array.from({ length: workers }, async () => {
        while (this.#goesOn) await this.#oneProcess();
      }),
    );
  }

  /** Kills every process at once; unfinished jobs are dropped. */
  end(): void {
    this.#ended = true;
    for (const child of this.#children) killGroup(child);
  }

  /** Runs one process until no job is left, it has grown too much or it exits. */
  #oneProcess(): Promise<void> {
    const child = fork(WORKER, { env: this.#options.env, execArgv: process.execArgv, detached: true });
    this.#children.add(child);
    let job: Job | null = null;
    let last = "loading";
    let late: NodeJS.Timeout | undefined;
    const next = (memory = 0) => {
      job = (memory < MOST_MEMORY && this.#goesOn && this.#jobs.shift()) || null;
      last = "loading";
      clearTimeout(late);
      late = setTimeout(() => killGroup(child), job === null ? LEAVING : LONGEST);
      child.send(job as object);
    };
    child.on("message", (word: Word) => {
      if ("began" in word) {
        last = word.began;
        return;
      }
      this.#options.onDone(word.done);
      next(word.done.memory);
    });
    next();
    return new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        clearTimeout(late);
        killGroup(child);
        this.#children.delete(child);
        if (job !== null || code !== 0) {
          const at = job ?? { file: "the end of the run", part: { index: 0, of: 1 }, shares: false };
          const report = `\n  the process ended with ${signal ?? code} at: ${last}\n`;
          this.#options.onDone({ ...emptyResult(at), failed: 1, report });
        }
        resolve();
      });
    });
  }
}

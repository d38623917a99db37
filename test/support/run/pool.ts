import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";
import { emptyResult, type Job, type Result, type Word } from "./messages.ts";

const WORKER = path.join(import.meta.dirname, "worker.ts");

/** Longest one job may take, in milliseconds: a test that hangs is a failure, not a wait without end. */
const LONGEST = 2_400_000;
/** The same for what a process cleans up when no job is left. */
const LEAVING = 240_000;

interface Options {
  workers: number;
  /** How many of them do nothing but jobs that delegate, as long as there are any. */
  delegators: number;
  env: NodeJS.ProcessEnv;
  /** Told of each job as it is done. */
  onDone(result: Result): void;
}

/**
 * Takes the next job for a process from those that are left.
 * @param delegates whether the process does only jobs that delegate; any other leaves these for last
 */
export function takeFrom(jobs: Job[], delegates: boolean): Job | null {
  const at = jobs.findIndex((job) => job.delegates === delegates);
  if (at >= 0) return jobs.splice(at, 1)[0] ?? null;
  return delegates ? null : (jobs.shift() ?? null);
}

/**
 * Does jobs side by side, each process one after another in the order given. A process that dies or hangs counts as one failed test of
 * its job, and another takes its place.
 */
export class Pool {
  readonly #jobs: Job[];
  readonly #options: Options;
  readonly #children = new Set<ChildProcess>();
  #ended = false;

  constructor(jobs: readonly Job[], options: Options) {
    this.#jobs = [...jobs];
    this.#options = options;
  }

  async run(): Promise<void> {
    const workers = Math.min(this.#options.workers, this.#jobs.length);
    await Promise.all(
      Array.from({ length: workers }, async (_, index) => {
        // The last of them, so that a run of few jobs has none.
        const delegates = index >= this.#options.workers - this.#options.delegators;
        const isLeft = () => this.#jobs.some((job) => job.delegates || !delegates);
        while (isLeft() && !this.#ended) await this.#oneProcess(delegates);
      }),
    );
  }

  /** Ends every process at once; what they have not done stays undone. */
  end(): void {
    this.#ended = true;
    for (const child of this.#children) child.kill("SIGKILL");
  }

  /** One process, until no job is left for it or it is gone. */
  #oneProcess(delegates: boolean): Promise<void> {
    const child = fork(WORKER, { env: this.#options.env, execArgv: process.execArgv });
    this.#children.add(child);
    let job: Job | null = null;
    let last = "loading";
    let late: NodeJS.Timeout | undefined;
    const next = () => {
      job = takeFrom(this.#jobs, delegates);
      last = "loading";
      clearTimeout(late);
      late = setTimeout(() => child.kill("SIGKILL"), job === null ? LEAVING : LONGEST);
      child.send(job as object);
    };
    child.on("message", (word: Word) => {
      if ("began" in word) {
        last = word.began;
        return;
      }
      this.#options.onDone(word.done);
      next();
    });
    next();
    return new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        clearTimeout(late);
        this.#children.delete(child);
        if (job !== null || code !== 0) {
          const at = job ?? { file: "the end of the run", part: { index: 0, of: 1 }, shares: false, delegates: false };
          const report = `\n  the process ended with ${signal ?? code} at: ${last}\n`;
          this.#options.onDone({ ...emptyResult(at), failed: 1, report });
        }
        resolve();
      });
    });
  }
}

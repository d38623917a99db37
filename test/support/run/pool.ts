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
  env: NodeJS.ProcessEnv;
  /** Told of each job as it is done. */
  onDone(result: Result): void;
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
      Array.from({ length: workers }, async () => {
        while (this.#jobs.length > 0 && !this.#ended) await this.#oneProcess();
      }),
    );
  }

  /** Ends every process at once; what they have not done stays undone. */
  end(): void {
    this.#ended = true;
    for (const child of this.#children) child.kill("SIGKILL");
  }

  /** One process, until no job is left or it is gone. */
  #oneProcess(): Promise<void> {
    const child = fork(WORKER, { env: this.#options.env, execArgv: process.execArgv });
    this.#children.add(child);
    let job: Job | null = null;
    let last = "loading";
    let late: NodeJS.Timeout | undefined;
    const next = () => {
      job = this.#jobs.shift() ?? null;
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
          const at = job ?? { file: "the end of the run", part: { index: 0, of: 1 }, shares: false };
          const report = `\n  the process ended with ${signal ?? code} at: ${last}\n`;
          this.#options.onDone({ ...emptyResult(at), failed: 1, report });
        }
        resolve();
      });
    });
  }
}

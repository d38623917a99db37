import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";
import { emptyResult, type Job, type Result, type Word } from "./messages.ts";

const WORKER = path.join(import.meta.dirname, "worker.ts");

/** Longest time of one job in milliseconds: a hanging test fails instead of waiting forever. */
const LONGEST = 2_400_000;
/** Longest time for a process to clean up when no job is left. */
const LEAVING = 240_000;

interface Options {
  workers: number;
  env: NodeJS.ProcessEnv;
  /** Called for each job when it is done. */
  onDone(result: Result): void;
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

  /** Kills every process at once; unfinished jobs are dropped. */
  end(): void {
    this.#ended = true;
    for (const child of this.#children) child.kill("SIGKILL");
  }

  /** Runs one process until no job is left or it exits. */
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

import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";
import type { FileResult, Word } from "./messages.ts";
import { shares } from "./order.ts";

const WORKER = path.join(import.meta.dirname, "worker.ts");

/** Longest one file may take, in milliseconds: a test that hangs is a failure, not a wait without end. */
const LONGEST = 600_000;
/** The same for what a process cleans up when no file is left. */
const LEAVING = 60_000;

interface Options {
  workers: number;
  env: NodeJS.ProcessEnv;
  /** Told of each file as it is done. */
  onDone(result: FileResult): void;
}

/**
 * Runs test files side by side, each process one file after another in the order given. A process that dies or hangs counts as one
 * failed test of its file, and another takes its place.
 */
export class Pool {
  readonly #files: string[];
  readonly #options: Options;
  readonly #children = new Set<ChildProcess>();
  #ended = false;

  constructor(files: readonly string[], options: Options) {
    this.#files = [...files];
    this.#options = options;
  }

  async run(): Promise<void> {
    const workers = Math.min(this.#options.workers, this.#files.length);
    await Promise.all(
      Array.from({ length: workers }, async () => {
        while (this.#files.length > 0 && !this.#ended) await this.#oneProcess();
      }),
    );
  }

  /** Ends every process at once; what they have not done stays undone. */
  end(): void {
    this.#ended = true;
    for (const child of this.#children) child.kill("SIGKILL");
  }

  /** One process, until no file is left or it is gone. */
  #oneProcess(): Promise<void> {
    const child = fork(WORKER, { env: this.#options.env, execArgv: process.execArgv });
    this.#children.add(child);
    let file: string | null = null;
    let last = "loading";
    let late: NodeJS.Timeout | undefined;
    const next = () => {
      file = this.#files.shift() ?? null;
      last = "loading";
      clearTimeout(late);
      late = setTimeout(() => child.kill("SIGKILL"), file === null ? LEAVING : LONGEST);
      child.send({ file, shares: file !== null && shares(file) });
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
        const cleanUp = file ?? "the end of the run";
        if (file !== null || code !== 0) this.#options.onDone(broken(cleanUp, `ended with ${signal ?? code} at: ${last}`));
        resolve();
      });
    });
  }
}

const broken = (file: string, why: string): FileResult => ({
  file,
  passed: 0,
  failed: 1,
  skipped: 0,
  took: 0,
  hooks: 0,
  cpu: 0,
  report: `\n  ${file}: its process ${why}\n`,
});

import { Worker } from "node:worker_threads";
import { refusal } from "../errors/errors.ts";
import { Turns } from "../values/turns.ts";

/** A message to a thread: the address of a module whose default export does the work, and its one argument. */
export interface Work {
  task: string;
  input: unknown;
}

/** A message from a thread. `used` is its processor time so far, in microseconds. */
export type Answer = { kind: "begun"; used: number } | { kind: "done"; value: unknown } | { kind: "failed"; message: string };

/** The settings of a pool; times in milliseconds. */
export interface PoolOptions {
  entry: URL;
  /** Maximum threads of the process. */
  most: number;
  /** Maximum concurrent threads of one key. */
  mostOfOne: number;
  /** Maximum waiting calls of one key; further ones are rejected. */
  mostWaiting: number;
  /** Memory of one thread in megabytes. */
  memory: number;
  /** Longest duration of a call whose thread gets no processor time, in multiples of its budget. */
  patience: number;
  /** Longest time for a thread to start and load a task. */
  startTimeout: number;
  /** Idle time after which a thread ends. */
  idle: number;
}

/** The task threw an error; the message is the error's own. */
export class TaskFailed extends Error {}
/** The task exceeded its budget of time or memory, and its thread was ended. */
export class OverBudget extends TaskFailed {}

/** A call: the work, its key, and its budget in milliseconds of processor time. */
export interface Call extends Work {
  key: string;
  budget: number;
}

const busy = () => refusal("unavailable", undefined, { headers: { "Retry-After": "2" } });
const OUT_OF_MEMORY = "ERR_WORKER_OUT_OF_MEMORY";
const MICROSECONDS = 1000;
/** Minimum pause between two checks of the processor time of a starved thread. */
const PAUSE = 50;

/**
 * Threads for work that a caller can make expensive, started on demand and ended when idle. Work beyond its budget is ended with its
 * thread. A key at its thread limit waits without holding up other keys.
 */
export class ThreadPool {
  readonly #options: PoolOptions;
  readonly #idle: { worker: Worker; timer: NodeJS.Timeout }[] = [];
  readonly #turns: Turns;
  readonly #workers = new Set<Worker>();

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#turns = new Turns({ total: options.most, share: options.mostOfOne, mostWaitingOfOne: options.mostWaiting });
  }

  /** Existing threads, and calls waiting for one. */
  get size(): { threads: number; waiting: number } {
    return { threads: this.#workers.size, waiting: this.#turns.waiting };
  }

  /**
   * Runs a call in a thread.
   * @throws TaskFailed, OverBudget; 503 `unavailable` with `Retry-After` if too many calls wait, or no thread starts
   */
  async run(call: Call): Promise<unknown> {
    await this.#turns.take(call.key, { refusal: busy });
    const worker = this.#take();
    try {
      const value = await this.#done(worker, call);
      this.#giveBack(worker);
      return value;
    } catch (error) {
      if (error instanceof TaskFailed && !(error instanceof OverBudget)) this.#giveBack(worker);
      else this.#end(worker);
      throw error;
    } finally {
      this.#turns.over(call.key);
    }
  }

  /** Ends every thread; running and waiting calls are rejected. */
  async stop(): Promise<void> {
    this.#turns.refuseWaiting();
    for (const { timer } of this.#idle.splice(0)) clearTimeout(timer);
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
    this.#workers.clear();
  }

  /** Sends a call to a thread and waits for its result. */
  #done(worker: Worker, { task, input, budget }: Call): Promise<unknown> {
    const { patience, startTimeout } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    return new Promise((resolve, reject) => {
      const settle = (how: () => void) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        for (const event of ["message", "error", "exit"]) worker.removeAllListeners(event);
        // While the thread is being ended, no caller is left to receive an error.
        worker.on("error", () => {});
        how();
      };
      const over = (what: string) => settle(() => reject(new OverBudget(what)));
      const late = () => over(`it took more than ${budget / 1000} seconds`);
      timer = setTimeout(() => settle(() => reject(busy())), startTimeout);
      worker.on("message", (answer: Answer) => {
        if (answer.kind === "done") settle(() => resolve(answer.value));
        else if (answer.kind === "failed") settle(() => reject(new TaskFailed(answer.message)));
        else {
          clearTimeout(timer);
          const deadline = performance.now() + budget * patience;
          const look = async () => {
            const used = await usedBy(worker);
            if (isOver) return;
            const left = used === null ? 0 : budget - (used - answer.used) / MICROSECONDS;
            if (left <= 0 || performance.now() >= deadline) late();
            else timer = setTimeout(look, Math.min(Math.max(PAUSE, left), Math.max(PAUSE, deadline - performance.now())));
          };
          timer = setTimeout(look, budget);
        }
      });
      worker.on("error", (error: NodeJS.ErrnoException) =>
        error.code === OUT_OF_MEMORY ? over("it needed too much memory") : settle(() => reject(error)),
      );
      worker.on("exit", () => settle(() => reject(busy())));
      worker.postMessage({ task, input } satisfies Work);
    });
  }

  #take(): Worker {
    const idle = this.#idle.pop();
    if (idle) {
      clearTimeout(idle.timer);
      idle.worker.removeAllListeners("exit");
      idle.worker.ref();
      return idle.worker;
    }
    const { entry, memory } = this.#options;
    const worker = new Worker(entry, {
      env: {},
      execArgv: ["--disable-warning=ExperimentalWarning"],
      resourceLimits: { maxOldGenerationSizeMb: memory, maxYoungGenerationSizeMb: 16 },
    });
    this.#workers.add(worker);
    return worker;
  }

  #giveBack(worker: Worker): void {
    const forget = () => {
      clearTimeout(timer);
      const at = this.#idle.findIndex((one) => one.worker === worker);
      if (at >= 0) this.#idle.splice(at, 1);
      this.#end(worker);
    };
    const timer = setTimeout(forget, this.#options.idle);
    timer.unref();
    worker.once("exit", forget);
    // An idle thread does not keep the process alive.
    worker.unref();
    this.#idle.push({ worker, timer });
  }

  #end(worker: Worker): void {
    this.#workers.delete(worker);
    worker.removeAllListeners("exit");
    void worker.terminate();
  }
}

/** Processor time of a thread in microseconds; null if it has ended. */
const usedBy = (worker: Worker): Promise<number | null> =>
  worker.cpuUsage().then(
    ({ user, system }) => user + system,
    () => null,
  );

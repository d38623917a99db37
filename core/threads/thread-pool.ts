import { Worker } from "node:worker_threads";
import { refusal } from "../declare/errors.ts";

/** What a thread is sent: the address of a module whose default export does the work, and its one argument. */
export interface Work {
  task: string;
  input: unknown;
}

/** What a thread answers. `used` is the processor time it has used until now, in microseconds. */
export type Answer = { kind: "begun"; used: number } | { kind: "done"; value: unknown } | { kind: "failed"; message: string };

/** How a pool works; times in milliseconds. */
export interface PoolOptions {
  entry: URL;
  /** Threads of the process. */
  most: number;
  /** Threads that one key has at a time. */
  mostOfOne: number;
  /** Calls of one key that wait; a further one is refused. */
  mostWaiting: number;
  /** Memory of one thread in megabytes. */
  memory: number;
  /** Longest a call may take when the machine leaves its thread no processor, in multiples of its budget. */
  patience: number;
  /** Longest a thread may take to start and to load a task. */
  startTimeout: number;
  /** A thread without work ends after so long. */
  idle: number;
}

/** The work threw: its message is the error's own. */
export class TaskFailed extends Error {}
/** The work used up its budget of time or memory, and its thread was ended. */
export class OverBudget extends TaskFailed {}

/** A call: what is to be done, for whom, and within how many milliseconds of processor time. */
export interface Call extends Work {
  key: string;
  budget: number;
}

interface Waiting extends Call {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

const busy = () => refusal("unavailable", undefined, { headers: { "Retry-After": "2" } });
const OUT_OF_MEMORY = "ERR_WORKER_OUT_OF_MEMORY";
const MICROSECONDS = 1000;
/** Between two looks at the processor time of a thread that had too little of it so far, at least. */
const PAUSE = 50;

/**
 * Threads for work that a caller can make expensive, started when there is some and ended when there has been none for a while. Work beyond its
 * budget ends with its thread. Keys wait for themselves: one that has all its threads is passed over by the next.
 */
export class ThreadPool {
  readonly #options: PoolOptions;
  readonly #idle: { worker: Worker; timer: NodeJS.Timeout }[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #running = new Map<string, number>();
  readonly #workers = new Set<Worker>();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Threads there are, and calls that wait for one. */
  get size(): { threads: number; waiting: number } {
    return { threads: this.#workers.size, waiting: this.#waiting.length };
  }

  /**
   * Does a call's work in a thread.
   * @throws TaskFailed, OverBudget; 503 `unavailable` with `Retry-After` where too much waits already, or no thread starts
   */
  run(call: Call): Promise<unknown> {
    if (this.#waiting.filter(({ key }) => key === call.key).length >= this.#options.mostWaiting) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...call, resolve, reject });
      this.#next();
    });
  }

  /** Ends every thread; what runs or waits is refused. */
  async stop(): Promise<void> {
    for (const { reject } of this.#waiting.splice(0)) reject(busy());
    for (const { timer } of this.#idle.splice(0)) clearTimeout(timer);
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
    this.#workers.clear();
  }

  #next(): void {
    const { most, mostOfOne } = this.#options;
    const isFree = () => this.#idle.length > 0 || this.#workers.size < most;
    for (let at = 0; at < this.#waiting.length && isFree(); ) {
      const call = this.#waiting[at] as Waiting;
      const running = this.#running.get(call.key) ?? 0;
      if (running >= mostOfOne) {
        at += 1;
        continue;
      }
      this.#waiting.splice(at, 1);
      this.#running.set(call.key, running + 1);
      void this.#serve(call);
    }
  }

  async #serve(call: Waiting): Promise<void> {
    const worker = this.#take();
    try {
      const value = await this.#done(worker, call);
      this.#giveBack(worker);
      call.resolve(value);
    } catch (error) {
      if (error instanceof TaskFailed && !(error instanceof OverBudget)) this.#giveBack(worker);
      else this.#end(worker);
      call.reject(error as Error);
    } finally {
      const left = (this.#running.get(call.key) ?? 1) - 1;
      if (left > 0) this.#running.set(call.key, left);
      else this.#running.delete(call.key);
      this.#next();
    }
  }

  /** Sends a call to a thread and waits for what comes of it. */
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
        // An error that comes while the thread is being ended has no one to go to.
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
    // A thread without work keeps no process alive.
    worker.unref();
    this.#idle.push({ worker, timer });
  }

  #end(worker: Worker): void {
    this.#workers.delete(worker);
    worker.removeAllListeners("exit");
    void worker.terminate();
  }
}

/** Processor time of a thread in microseconds; null where it has ended. */
const usedBy = (worker: Worker): Promise<number | null> =>
  worker.cpuUsage().then(
    ({ user, system }) => user + system,
    () => null,
  );

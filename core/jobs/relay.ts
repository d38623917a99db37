import { Recent } from "./queue/recent.ts";
import type { Handed, Queue } from "./store.ts";
import { relay, repair, subscriptions } from "./store.ts";

const BATCH = 500;
const REPAIR = 30_000;
/** Between two passes, in ms: many commits share one. From so many in one stretch on they share more: a pass costs as much for one as for ten. */
const GAP = 3;
const GAP_UNDER_LOAD = 200;
const STRETCH = 500;
const LOAD = 50;
/** How long what is due later may wait for a pass, in ms: less than it is ahead (core/jobs/outbox.ts). */
const LATER = 500;

interface Surroundings {
  queue: Queue;
  /** Anything a nudge did not tell is found this often, in ms. */
  poll: number;
  missing(ids: string[]): Promise<string[]>;
  /** Is told what has come into the queue. */
  handed(jobs: readonly Handed[]): Promise<void>;
  onTrouble(error: unknown): void;
}

/**
 * Carries what was committed from the outbox to the queue. Every node has one, one at a time works; a commit on this node nudges it,
 * polling finds the rest. Nothing is announced inside a request's transaction: a NOTIFY there would make commits wait for each other.
 */
export class Relay {
  readonly #with: Surroundings;
  #wanted: ReadonlySet<string> = new Set();
  #pass: Promise<void> | null = null;
  #again = false;
  readonly #taken = new Recent(STRETCH);
  #poll: NodeJS.Timeout | null = null;
  #nudged: NodeJS.Timeout | null = null;
  #later: NodeJS.Timeout | null = null;
  #repairedAt = 0;
  #stopped = false;
  #troubled = false;

  constructor(surroundings: Surroundings) {
    this.#with = surroundings;
  }

  start(): void {
    this.#poll = setInterval(() => void this.pass(), this.#with.poll).unref();
    void this.pass();
  }

  /** Waits for the pass under way and makes no other. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#poll) clearInterval(this.#poll);
    if (this.#nudged) clearTimeout(this.#nudged);
    this.#forgetLater();
    await this.#pass;
  }

  /** Whether some subscriber wants events of this name, as far as this node knows. */
  wants = (event: string): boolean => this.#wanted.has(event);

  /** Something has been committed that wants delivery. */
  nudge = (): void => {
    if (this.#stopped) return;
    if (this.#pass) this.#again = true;
    else this.#nudged ??= setTimeout(() => void this.pass(), this.#taken.most > LOAD ? GAP_UNDER_LOAD : GAP);
  };

  /** Something has been committed that is due later: it goes with the next pass, or half a second from now with all that came meanwhile. */
  nudgeLater = (): void => {
    if (!this.#stopped) this.#later ??= setTimeout(this.nudge, LATER);
  };

  #forgetLater(): void {
    if (this.#later) clearTimeout(this.#later);
    this.#later = null;
  }

  /** Carries everything there is. */
  pass(): Promise<void> {
    if (this.#nudged) clearTimeout(this.#nudged);
    this.#nudged = null;
    if (this.#stopped) return Promise.resolve();
    this.#pass ??= this.#run().finally(() => {
      this.#pass = null;
      if (!this.#again) return;
      this.#again = false;
      this.nudge();
    });
    return this.#pass;
  }

  async #run(): Promise<void> {
    // Not where a pass is only asked for: one that is under way may have missed what was committed since.
    this.#forgetLater();
    try {
      await this.#repair();
      for (let taken = BATCH; taken === BATCH && !this.#stopped; ) {
        const carried = await relay(this.#with.queue, BATCH);
        taken = carried.taken;
        this.#taken.add(taken);
        await this.#with.handed(carried.handed);
      }
      this.#troubled = false;
    } catch (error) {
      if (!this.#troubled && !this.#stopped) this.#with.onTrouble(error);
      this.#troubled = true;
    }
  }

  async #repair(): Promise<void> {
    if (Date.now() - this.#repairedAt < REPAIR) return;
    this.#wanted = new Set((await subscriptions()).map(({ event }) => event));
    await this.#with.handed(await repair(this.#with.queue, this.#with.missing));
    this.#repairedAt = Date.now();
  }
}

import type { Queue, QueuedJob } from "./store.ts";
import { relay, repair, subscriptions } from "./store.ts";

const BATCH = 500;
const REPAIR = 30_000;
/** Ms from a commit to its pass, so that commits share one; longer just after a pass: one for ten rows costs the same as for one. */
const GAP = 3;
const GAP_AFTER_PASS = 10;
/** Longest wait of upcoming work for a pass, in ms; shorter than its lead time (core/jobs/outbox.ts). */
const LATER = 500;

interface Surroundings {
  queue: Queue;
  /** Poll interval in ms, for work that no notification reported. */
  poll: number;
  missing(ids: string[]): Promise<string[]>;
  /** Receives the jobs that entered the queue. */
  handed(jobs: readonly QueuedJob[]): Promise<void>;
  onTrouble(error: unknown): void;
}

/**
 * Moves committed work from the outbox to the queue. Every node has a relay; one works at a time. A commit on this node triggers it;
 * polling finds the rest. A request's transaction announces nothing: a NOTIFY there would make commits wait for each other.
 */
export class Relay {
  readonly #with: Surroundings;
  #wanted: ReadonlySet<string> = new Set();
  #pass: Promise<void> | null = null;
  #again = false;
  #endedAt = 0;
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

  /** Waits for the current pass and starts no other. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#poll) clearInterval(this.#poll);
    if (this.#nudged) clearTimeout(this.#nudged);
    this.#forgetLater();
    await this.#pass;
  }

  /** Whether this node knows of a subscriber to events of this name. */
  wants = (event: string): boolean => this.#wanted.has(event);

  /** Triggers a pass: work was committed. */
  nudge = (): void => {
    if (this.#stopped) return;
    if (this.#pass) this.#again = true;
    else this.#nudged ??= setTimeout(() => void this.pass(), Date.now() - this.#endedAt < GAP_AFTER_PASS ? GAP_AFTER_PASS : GAP);
  };

  /** Work that is due later was committed: it moves with the next pass, or in half a second with all that arrived meanwhile. */
  nudgeLater = (): void => {
    if (!this.#stopped) this.#later ??= setTimeout(this.nudge, LATER);
  };

  #forgetLater(): void {
    if (this.#later) clearTimeout(this.#later);
    this.#later = null;
  }

  /** Moves everything in the outbox. */
  pass(): Promise<void> {
    if (this.#nudged) clearTimeout(this.#nudged);
    this.#nudged = null;
    if (this.#stopped) return Promise.resolve();
    this.#pass ??= this.#run().finally(() => {
      this.#pass = null;
      this.#endedAt = Date.now();
      if (!this.#again) return;
      this.#again = false;
      this.nudge();
    });
    return this.#pass;
  }

  async #run(): Promise<void> {
    // Cleared here and not in `pass`: a pass already running may have missed what was committed since.
    this.#forgetLater();
    try {
      await this.#repair();
      for (let taken = BATCH; taken === BATCH && !this.#stopped; ) {
        const carried = await relay(this.#with.queue, BATCH);
        taken = carried.taken;
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

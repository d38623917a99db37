import type { JobParameters } from "agenda";
import { Recent } from "./recent.ts";

/** So many jobs of a name are claimed at once as ended within this time, in ms: they begin about as soon as they would have one by one. */
const AHEAD = 500;
const MOST = 100;
/** Of all names together so many are claimed within that time while requests wait for the database: requests go first, jobs go on. */
const BESIDE_REQUESTS = 120;

/** One name's jobs that this node has claimed and Agenda has not asked for yet. */
interface Stock {
  jobs: { job: JobParameters; at: number }[];
  claiming: Promise<void> | null;
  ended: Recent;
}

interface Source {
  claim(name: string, most: number): Promise<readonly JobParameters[]>;
  /** Whether requests of this node wait for the database. */
  isPressed(): boolean;
}

/**
 * Claims jobs several at a time, for Agenda asks for one by one. A name whose jobs take long has no more claimed than it has places, so
 * that another node takes the others; one whose jobs end quickly has as many claimed as it will begin in the next moment.
 */
export class Claims {
  readonly #source: Source;
  readonly #stocks = new Map<string, Stock>();
  readonly #claimed = new Recent(AHEAD);

  constructor(source: Source) {
    this.#source = source;
  }

  #of(name: string): Stock {
    let stock = this.#stocks.get(name);
    if (!stock) this.#stocks.set(name, (stock = { jobs: [], claiming: null, ended: new Recent(AHEAD) }));
    return stock;
  }

  has(name: string): boolean {
    return this.#of(name).jobs.length > 0;
  }

  take(name: string): JobParameters | undefined {
    return this.#of(name).jobs.shift()?.job;
  }

  /** Takes back one that has found no place. */
  back(job: JobParameters): void {
    this.#of(job.name).jobs.unshift({ job, at: Date.now() });
  }

  ended(name: string): void {
    this.#of(name).ended.add(1);
  }

  /** Claims what is due, unless that is being done: then waits for it. @param places how many of them could begin at once */
  more(name: string, places: () => number): Promise<void> {
    const stock = this.#of(name);
    stock.claiming ??= this.#more(name, stock, places).finally(() => (stock.claiming = null));
    return stock.claiming;
  }

  async #more(name: string, stock: Stock, places: () => number): Promise<void> {
    let most = Math.min(MOST, Math.max(1, places(), stock.ended.most));
    if (this.#source.isPressed()) {
      if (this.#claimed.now >= BESIDE_REQUESTS) await new Promise((resolve) => setTimeout(resolve, this.#claimed.left));
      most = Math.min(most, Math.max(1, BESIDE_REQUESTS - this.#claimed.now));
    }
    const jobs = await this.#source.claim(name, most);
    this.#claimed.add(jobs.length);
    const at = Date.now();
    stock.jobs.push(...jobs.map((job) => ({ job, at })));
  }

  /** Takes out those that have waited so long, in ms, for another node to take. */
  leave(age: number): JobParameters[] {
    const before = Date.now() - age;
    return [...this.#stocks.values()].flatMap((stock) => {
      const left = stock.jobs.filter(({ at }) => at <= before);
      if (left.length > 0) stock.jobs = stock.jobs.filter(({ at }) => at > before);
      return left.map(({ job }) => job);
    });
  }
}

import type { JobParameters } from "agenda";
import { Recent } from "./recent.ts";

/** As many jobs of a name are claimed at once as ended within this time, in ms: they begin about as soon as if claimed one by one. */
const AHEAD = 500;
const MOST = 100;
/** Most jobs of all names claimed within that time while requests wait for the database: requests go first, but jobs continue. */
const BESIDE_REQUESTS = 120;

/** The jobs of one name that this node has claimed and Agenda has not requested yet. */
interface Stock {
  jobs: { job: JobParameters; at: number }[];
  claiming: Promise<void> | null;
  ended: Recent;
}

interface Source {
  claim(name: string, most: number): Promise<readonly JobParameters[]>;
  /** Whether requests of this node wait for a database connection. */
  isPressed(): boolean;
}

/**
 * Claims several jobs at a time, because Agenda requests them one by one. A name with slow jobs claims no more than it has free slots and
 * leaves the rest to other nodes. A name whose jobs end quickly claims as many as it will soon begin.
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

  /** Returns a job that found no free slot. */
  back(job: JobParameters): void {
    this.#of(job.name).jobs.unshift({ job, at: Date.now() });
  }

  ended(name: string): void {
    this.#of(name).ended.add(1);
  }

  /** Claims due jobs, or waits for a claim that is already running. @param places the number of free slots */
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

  /** Removes and returns jobs that have waited at least `age` ms, so that another node can claim them. */
  leave(age: number): JobParameters[] {
    const before = Date.now() - age;
    return [...this.#stocks.values()].flatMap((stock) => {
      const left = stock.jobs.filter(({ at }) => at <= before);
      if (left.length > 0) stock.jobs = stock.jobs.filter(({ at }) => at > before);
      return left.map(({ job }) => job);
    });
  }
}

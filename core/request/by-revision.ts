import { LRUCache } from "lru-cache";
import { request } from "./context.ts";

/**
 * A node's cache per organisation, valid for one access revision (docs/decisions/no-cacher.md). The tables it is read from have the trigger
 * `access_changed`, and the statement that opens a transaction compares the revision, so a change causes a fresh read. Requests that check
 * no revision, such as those of jobs, neither use nor fill the cache.
 */
export class ByRevision<T extends object> {
  readonly #known = new LRUCache<string, { revision: string; value: T }>({ max: 10_000 });

  /** The cached value for the current request; undefined if it must be read. @param part tells several values of an organisation apart */
  get(part = ""): T | undefined {
    const { guarded, organisation } = request();
    const known = guarded ? this.#known.get(`${organisation.id} ${part}`) : undefined;
    return known?.revision === organisation.revision ? known.value : undefined;
  }

  /** Caches a value that the current request has read, for requests of the same revision. */
  keep(value: T, part = ""): void {
    const { guarded, organisation } = request();
    if (guarded) this.#known.set(`${organisation.id} ${part}`, { revision: organisation.revision, value });
  }
}

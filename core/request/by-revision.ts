import { LRUCache } from "lru-cache";
import { request } from "./context.ts";

/**
 * What a node remembers of organisations for as long as their access revision stands (docs/decisions/no-cacher.md). The tables it is read
 * from have the trigger `access_changed`, and the statement that opens a transaction compares the revision: what has become of it since is
 * then read anew. Requests that prove no revision, such as those of jobs, neither use nor fill it.
 */
export class ByRevision<T extends object> {
  readonly #known = new LRUCache<string, { revision: string; value: T }>({ max: 10_000 });

  /** What is known for the running request; undefined where it is to be read. @param part which of several things of an organisation */
  get(part = ""): T | undefined {
    const { guarded, organisation } = request();
    const known = guarded ? this.#known.get(`${organisation.id} ${part}`) : undefined;
    return known?.revision === organisation.revision ? known.value : undefined;
  }

  /** Keeps what the running request has read, for those of the same revision. */
  keep(value: T, part = ""): void {
    const { guarded, organisation } = request();
    if (guarded) this.#known.set(`${organisation.id} ${part}`, { revision: organisation.revision, value });
  }
}

import { LRUCache } from "lru-cache";
import { request } from "./context.ts";

/** The organisation's revision in the transaction of the current request; null while none has been compared or read. */
function provenRevision(): string | null {
  const { guarded, organisation, boundRevision } = request();
  return guarded ? organisation.revision : boundRevision;
}

/**
 * A node's cache per organisation, valid for one access revision (docs/decisions/no-cacher.md). The tables it is read from have the trigger
 * `access_changed`, and the statement that opens a transaction compares the revision, so a change causes a fresh read. Requests that check
 * no revision use and fill the cache once their transaction has read one: those of jobs do when they write.
 */
export class ByRevision<T extends object> {
  readonly #known = new LRUCache<string, { revision: string; value: T }>({ max: 10_000 });

  /** The cached value for the current request; undefined if it must be read. @param part tells several values of an organisation apart */
  get(part = ""): T | undefined {
    const known = this.#known.get(`${request().organisation.id} ${part}`);
    return known && known.revision === provenRevision() ? known.value : undefined;
  }

  /** Caches a value that the current request has read, for requests of the same revision. */
  keep(value: T, part = ""): void {
    const revision = provenRevision();
    if (revision !== null) this.#known.set(`${request().organisation.id} ${part}`, { revision, value });
  }
}

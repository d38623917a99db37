import { queryUnbound } from "../../../core/database/connection/database.ts";
import { isApiError } from "../../../core/errors/errors.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { StreamHolder } from "./holder.ts";

/** How often to check for access changes, in ms. */
const INTERVAL = 1000;
/** Callers renewed in parallel after a change. */
const AT_ONCE = 8;

const REVISIONS = statement(`select asked.host, o.access_revision as revision
  from unnest($1::text[], $2::text[]) as asked (host, slug) left join lateral resolve_host(asked.host, asked.slug) o on true`);

interface Watched {
  holder: StreamHolder;
  end: () => void;
}

/**
 * Ends streams whose callers have lost access: signed out, key revoked or expired, membership or permission gone, organisation suspended.
 * One statement a second finds the organisations whose access has changed, however many streams are open; only their callers are checked.
 */
export class AccessWatch {
  readonly #watched = new Set<Watched>();
  readonly #forget: (host: string, holder: StreamHolder) => void;
  readonly #onTrouble: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #running = false;
  #isTroubled = false;

  /** @param forget drops the cached organisation of a host @param onTrouble receives the first error when the database fails */
  constructor(forget: (host: string, holder: StreamHolder) => void, onTrouble: (error: unknown) => void) {
    this.#forget = forget;
    this.#onTrouble = onTrouble;
  }

  /** Watches a stream; call the returned function to stop. @param end ends the stream */
  add(holder: StreamHolder, end: () => void): () => void {
    const watched = { holder, end };
    this.#watched.add(watched);
    this.#timer ??= setInterval(() => void this.#look(), INTERVAL).unref();
    return () => {
      this.#watched.delete(watched);
      if (this.#watched.size > 0 || !this.#timer) return;
      clearInterval(this.#timer);
      this.#timer = null;
    };
  }

  async #look(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      const slugs = new Map([...this.#watched].map(({ holder: { host, slug } }) => [host, slug]));
      const rows = await queryUnbound<{ host: string; revision: string | null }>(REVISIONS, [
        [...slugs.keys()],
        [...slugs.values()],
      ]);
      await this.#compare(new Map(rows.map(({ host, revision }) => [host, revision])));
      this.#isTroubled = false;
    } catch (error) {
      // Without the database no new events are sent either.
      if (!this.#isTroubled) this.#onTrouble(error);
      this.#isTroubled = true;
    } finally {
      this.#running = false;
    }
  }

  async #compare(revisions: ReadonlyMap<string, string | null>): Promise<void> {
    const now = Date.now();
    const doubtful = [...this.#watched].filter(({ holder: { host, meta, expiresAt } }) => {
      const revision = revisions.get(host);
      return (revision !== undefined && revision !== meta.organisation.revision) || (expiresAt !== null && expiresAt <= now);
    });
    const hosts = new Map(doubtful.map(({ holder }) => [holder.host, holder]));
    for (const [host, holder] of hosts) this.#forget(host, holder);
    const renew = async ({ holder, end }: Watched) => {
      try {
        await holder.renew();
      } catch (error) {
        if (!isApiError(error) || error.code >= 500) throw error;
        end();
      }
    };
    const failures: unknown[] = [];
    // A failed check of one caller must not keep another's stream open.
    while (doubtful.length > 0)
      for (const looked of await Promise.allSettled(doubtful.splice(0, AT_ONCE).map(renew)))
        if (looked.status === "rejected") failures.push(looked.reason);
    if (failures.length > 0) throw failures[0];
  }
}

import { joinTransaction } from "../../core/database/connection/transaction.ts";
import { query } from "../../core/database/query.ts";
import type { Organisation } from "../../core/declare/principal.ts";
import { setSessionCookie } from "../../core/http/session-cookie.ts";
import { runRequest } from "../../core/request/context.ts";
import { uncounted } from "../../core/request/statement-count.ts";
import { systemRequest } from "../../core/request/system.ts";
import { statement } from "../../core/sql/statement.ts";
import type { CachedPrincipal } from "./principals.ts";

const KEYS = statement(`update api_keys k set last_used_at = u.at from unnest($2::uuid[], $3::timestamptz[]) u(id, at)
  where k.organisation_id = $1 and k.id = u.id`);
const SLIDE =
  statement(`update sessions set last_used_at = now(), expires_at = least(now() + interval '7 days', created_at + interval '30 days')
  where organisation_id = $1 and id = $2 and ended_at is null`);
/** Shortest interval between stored uses of a session, in milliseconds. */
const SLIDE_EVERY = 300_000;
/** Records when keys and sessions were last used, in the background: requests never wait for it. */
export class UseStamps {
  /** When each key was last used, in milliseconds since the epoch. */
  readonly #keys = new Map<Organisation, Map<string, number>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Records one use; extends a session and resends its cookie if the last stamp is old enough. */
  note(organisation: Organisation, known: CachedPrincipal, headers: Record<string, string | string[]>, value: string): void {
    const { kind, id } = known.principal.credential;
    const now = Date.now();
    if (kind === "key") {
      let keys = this.#keys.get(organisation);
      if (!keys) this.#keys.set(organisation, (keys = new Map()));
      keys.set(id, now);
      return;
    }
    if (now - known.lastUsedAt < SLIDE_EVERY) return;
    known.lastUsedAt = now;
    headers["Set-Cookie"] = setSessionCookie(value);
    this.#write(organisation, SLIDE, [organisation.id, id]);
  }

  /** Stores the key uses recorded since the last flush. */
  async flush(): Promise<void> {
    const noted = [...this.#keys];
    this.#keys.clear();
    for (const [organisation, keys] of noted)
      await this.#write(organisation, KEYS, [
        organisation.id,
        [...keys.keys()],
        [...keys.values()].map((used) => new Date(used).toISOString()),
      ]);
  }

  async #write(organisation: Organisation, text: ReturnType<typeof statement>, values: unknown[]): Promise<void> {
    const store = systemRequest("api.stamps", organisation, "write");
    const written = async () => {
      await query(text, values);
      await joinTransaction().commit();
    };
    try {
      await uncounted(() => runRequest(store, written));
    } catch (error) {
      await store.transaction?.rollback();
      this.#onError(error);
    }
  }
}

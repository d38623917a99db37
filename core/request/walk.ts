import { createHash } from "node:crypto";
import { runtime } from "../config/runtime.ts";
import { CURSOR_HOURS } from "../declare/cursor-query.ts";
import type { Meta } from "../declare/principal.ts";
import { invalid, refusal } from "../errors/errors.ts";
import { decrypt, deriveKey, encrypt, type SealingKey } from "../security/crypto.ts";
import { type CallerView, viewDigest } from "./caller-view.ts";

/** The walk through a list that a request belongs to: page after page, each behind the last row of the one before (conventions §10). */
export interface Walk {
  /** The position that the page begins behind; undefined on the first page. */
  readonly after: readonly (string | null)[] | undefined;
  /** The `Updated-Until` of a walk with `updated_since`: computed on its first page and sent with its last. */
  readonly until: string | undefined;
  /** Whether the page is the last one of its list, once it is read. */
  isLast: boolean;
  /** Seals the position of the page's last row as a cursor. */
  readonly seal: (last: readonly (string | null)[]) => string;
}

let sealing: { secret: string; key: SealingKey } | undefined;
/** The key of cursors, which follows from the main secret. */
function sealingKey(): SealingKey {
  const { secret } = runtime();
  if (sealing?.secret !== secret) {
    const id = deriveKey(secret, "cursors of lists: key id").toString("hex", 0, 4);
    sealing = { secret, key: { id, bytes: deriveKey(secret, "cursors of lists") } };
  }
  return sealing.key;
}

/** The start of every sealed text, which a cursor leaves out: it marks secrets at rest. */
const prefix = (): string => `v1.${sealingKey().id}.`;

const digestOf = (...facts: unknown[]): string => createHash("sha256").update(JSON.stringify(facts)).digest("base64url");

/** What a cursor is bound to: the caller, the action, and all parameters but `cursor` and `offset`. */
function placeOf(name: string, { organisation, principal }: Meta, params: object): string {
  const { accountId, serviceAccountId, credential, impersonation } = principal ?? {};
  const bound = Object.entries(params)
    .filter(([key, value]) => key !== "cursor" && key !== "offset" && value !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const key = credential?.kind === "key" ? credential.id : null;
  return digestOf(organisation.id, accountId, serviceAccountId, key, impersonation?.accountId, name, bound);
}

/** What a cursor keeps of the view at its page. */
interface SealedView {
  digest: string;
  /** The view's `moved`; absent if it was not read, and then `at` is when the cursor was made, in milliseconds since 1970. */
  moved?: string | null;
  at?: number;
}
const sealedView = ({ principal }: Meta, { moved }: CallerView): SealedView => {
  const digest = viewDigest(principal);
  return moved === undefined ? { digest, at: Date.now() } : { digest, moved };
};

/**
 * Whether the caller sees and may do now what it did at the page of a cursor. By `at` this is as exact as the node's clock; such a walk has
 * no `Updated-Until`, so no copy goes on from it.
 */
function isSameView({ digest, moved, at }: SealedView, { principal }: Meta, now: CallerView): boolean {
  if (digest !== viewDigest(principal)) return false;
  if (at === undefined) return moved === (now.moved ?? null);
  return typeof now.moved !== "string" || Date.parse(now.moved) < at;
}

/**
 * The walk that a request begins or goes on with.
 * @param view what the caller sees now
 * @throws 422 for a cursor of another caller, list or parameter, one that has expired, or one beside an offset; 410 `gone` if what the
 * caller may see has changed since the walk began
 */
export function walkOf({ name }: { name: string }, meta: Meta, params: object, view: CallerView): Walk {
  const { cursor, offset = 0 } = params as { cursor?: string; offset?: number };
  const walk: Walk = {
    ...(cursor === undefined ? { after: undefined, until: view.until } : opened(cursor, offset, name, meta, params, view)),
    isLast: true,
    seal(last) {
      const expires = Date.now() + CURSOR_HOURS * 3_600_000;
      const text = JSON.stringify([last, sealedView(meta, view), expires, walk.until]);
      return encrypt(text, sealingKey(), placeOf(name, meta, params)).slice(prefix().length);
    },
  };
  return walk;
}

function opened(
  cursor: string,
  offset: number,
  name: string,
  meta: Meta,
  params: object,
  now: CallerView,
): Pick<Walk, "after" | "until"> {
  const text = offset > 0 ? null : decrypt(prefix() + cursor, [sealingKey()], placeOf(name, meta, params));
  if (text === null) throw invalid({ cursor: "errors.cursor_invalid" });
  const [after, view, expires, until] = JSON.parse(text) as [(string | null)[], SealedView, number, string?];
  if (Date.now() > expires) throw invalid({ cursor: "errors.cursor_invalid" });
  if (!isSameView(view, meta, now)) throw refusal("gone", "errors.sync_too_old");
  return { after, until };
}

/**
 * The cursor of the page behind a position; null outside of a walk.
 * @param last position of the page's last row; null if no row follows it
 */
export function nextCursor(walk: Walk | undefined, last: readonly (string | null)[] | null): string | null {
  if (walk) walk.isLast = last === null;
  return walk && last ? walk.seal(last) : null;
}

import type { IncomingMessage } from "node:http";
import { runtime } from "../../core/config/runtime.ts";
import { currentPosition, later } from "../../core/database/connection/replicas.ts";
import type { Principal } from "../../core/declare/principal.ts";
import { hostCookie, setHostCookie } from "../../core/http/host-cookie.ts";
import type { HttpAnswer } from "../../core/request/context.ts";
import { decrypt, encrypt, type SealingKey, sealingKey } from "../../core/security/crypto.ts";
import { cookieOf } from "./http/credentials.ts";

/** The header of a write's answer, and of a read that has to see it. Sealed: how fast the log grows is no caller's business. */
export const WRITE_POSITION = "Write-Position";
const COOKIE = "kantoor_written";
const PLACE = "write position";
/** No replica gets that far, so the primary answers. */
const FURTHEST = "FFFFFFFF/FFFFFFFF";
/** How long a write is remembered, in milliseconds: a replica that is further behind answers no one. */
const remembered = (): number => 2 * runtime().config.databaseReadLag;

/**
 * What callers have written last, so that replicas of the database show them their own writes: by the header that a caller sends back, by a
 * cookie of browsers, and for callers that send neither by their credential, on this gateway alone.
 */
export class WritePositions {
  /** By credential, the oldest write first. */
  readonly #written = new Map<string, { at: number; position: string }>();
  #known: SealingKey[] | undefined;

  /** The keys that open positions of all nodes, this one's first; the secret is known once the node has started. */
  get #keys(): SealingKey[] {
    const { secret, config } = runtime();
    this.#known ??= [secret, ...(config.encryptionOtherKeys ?? [])].map(sealingKey);
    return this.#known;
  }

  /** The position that a read of this caller has to see; null if it may be any. */
  before(request: IncomingMessage, principal: Principal | null): string | null {
    const sent = [request.headers["write-position"], cookieOf(request, hostCookie(COOKIE, runtime().scheme))];
    const opened = sent.flatMap((one) => (typeof one === "string" ? [decrypt(one, this.#keys, PLACE) ?? FURTHEST] : []));
    const written = principal && this.#written.get(principal.credential.id);
    const all = written && performance.now() - written.at < remembered() ? [...opened, written.position] : opened;
    return all.length > 0 ? all.reduce(later) : null;
  }

  /** Adds to the answer of a write how far the log is after it. */
  async after(answer: HttpAnswer, principal: Principal | null): Promise<HttpAnswer> {
    const position = await currentPosition().catch(() => FURTHEST);
    this.#remember(principal, position);
    const sealed = encrypt(position, this.#keys[0] as SealingKey, PLACE);
    const cookies = [answer.headers["Set-Cookie"] ?? []].flat();
    if (principal?.credential.kind === "session") cookies.push(setHostCookie(COOKIE, sealed, Math.ceil(remembered() / 1000)));
    return {
      ...answer,
      headers: { ...answer.headers, [WRITE_POSITION]: sealed, ...(cookies.length > 0 && { "Set-Cookie": cookies }) },
    };
  }

  /** A write without an answer may have been made: the caller reads from the primary for a while. */
  unknown(principal: Principal | null): void {
    this.#remember(principal, FURTHEST);
  }

  #remember(principal: Principal | null, position: string): void {
    const now = performance.now();
    for (const [id, { at }] of this.#written) {
      if (now - at < remembered()) break;
      this.#written.delete(id);
    }
    const id = principal?.credential.id;
    if (id === undefined) return;
    this.#written.delete(id);
    this.#written.set(id, { at: now, position });
  }
}

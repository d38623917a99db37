import { seal, unseal } from "../../../core/database/sealed.ts";
import { setHostCookie } from "../../../core/http/host-cookie.ts";
import { ownPath } from "../../../core/http/own-path.ts";
import { randomHex } from "../../../core/security/crypto.ts";

/** Name of the cookie that binds a sign-in to the browser it was begun in. */
export const ROUND_TRIP_COOKIE = "kantoor_sign_on";
/** Longest a person may take at the provider, in seconds. */
const LONGEST = 600;
/** A cookie holds 4,096 bytes in all. */
const LONGEST_NEXT = 1000;

/** What is kept of a sign-in while the person is at the provider. */
export interface RoundTrip {
  state: string;
  nonce: string;
  /** The verifier of PKCE (RFC 7636). */
  verifier: string;
  /** Where the person goes on, a path of this site; null where none was asked for. */
  next: string | null;
  /** Which provider the person was sent to (`providerOf`): the code is another one's affair. */
  provider: string;
  /** When it began, in seconds since 1970. */
  at: number;
}

/** Sealed for one organisation: begun on one host it means nothing on another. */
const place = (organisation: string) => ({ table: "cookies", column: ROUND_TRIP_COOKIE, organisation, row: "" });

/** Where to go on, if what was asked for is a path of this site (access §9.2). */
export function keptNext(asked: string | undefined): string | null {
  const next = ownPath(asked ?? null, "");
  return next === "" || next.length > LONGEST_NEXT ? null : next;
}

/** Begins a sign-in: 256 random bits for each of its three secrets. */
export const beginRoundTrip = (next: string | null, provider: string, now: number): RoundTrip => ({
  state: randomHex(32),
  nonce: randomHex(32),
  verifier: randomHex(32),
  next,
  provider,
  at: Math.floor(now / 1000),
});

/** The cookie that keeps it, encrypted: one of an earlier sign-in is replaced. */
export const keepRoundTrip = (roundTrip: RoundTrip, organisation: string): string =>
  setHostCookie(ROUND_TRIP_COOKIE, seal(JSON.stringify(roundTrip), place(organisation)), LONGEST);

/** The cookie that ends it. */
export const endRoundTrip = (): string => setHostCookie(ROUND_TRIP_COOKIE, "", 0);

/** What the cookie kept; null for none, one that was tampered with, of another organisation, or too old. */
export function roundTripIn(cookie: string | undefined, organisation: string, now: number): RoundTrip | null {
  const text = unseal(cookie, place(organisation));
  const kept = text === null ? null : (JSON.parse(text) as RoundTrip);
  return kept && now / 1000 - kept.at < LONGEST ? kept : null;
}

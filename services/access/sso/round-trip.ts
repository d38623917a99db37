import { seal, unseal } from "../../../core/database/sealed.ts";
import { setHostCookie } from "../../../core/http/host-cookie.ts";
import { ownPath } from "../../../core/http/own-path.ts";
import { randomHex } from "../../../core/security/crypto.ts";

/** Name of the cookie that binds a sign-in to its browser. */
export const ROUND_TRIP_COOKIE = "kantoor_sign_on";
/** Longest time at the provider, in seconds. */
const LONGEST = 600;
/** A cookie holds 4,096 bytes in all. */
const LONGEST_NEXT = 1000;

/** State kept in the cookie while the person is at the provider. */
export interface RoundTrip {
  state: string;
  nonce: string;
  /** The PKCE verifier (RFC 7636). */
  verifier: string;
  /** The destination, a path of this site; null if none was requested. */
  next: string | null;
  /** The provider the person was sent to (`providerOf`): no other may receive the code. */
  provider: string;
  /** When it began, in seconds since 1970. */
  at: number;
}

/** Sealed for one organisation: on another's host it does not open. */
const place = (organisation: string) => ({ table: "cookies", column: ROUND_TRIP_COOKIE, organisation, row: "" });

/** The requested destination, if it is a path of this site (access §9.2). */
export function keptNext(asked: string | undefined): string | null {
  const next = ownPath(asked ?? null, "");
  return next === "" || next.length > LONGEST_NEXT ? null : next;
}

/** Starts a sign-in with three secrets of 256 random bits. */
export const beginRoundTrip = (next: string | null, provider: string, now: number): RoundTrip => ({
  state: randomHex(32),
  nonce: randomHex(32),
  verifier: randomHex(32),
  next,
  provider,
  at: Math.floor(now / 1000),
});

/** The encrypted cookie of a round trip; replaces that of an earlier sign-in. */
export const keepRoundTrip = (roundTrip: RoundTrip, organisation: string): string =>
  setHostCookie(ROUND_TRIP_COOKIE, seal(JSON.stringify(roundTrip), place(organisation)), LONGEST);

/** The cookie that ends it. */
export const endRoundTrip = (): string => setHostCookie(ROUND_TRIP_COOKIE, "", 0);

/** The round trip in the cookie; null if it is missing, tampered with, of another organisation, or too old. */
export function roundTripIn(cookie: string | undefined, organisation: string, now: number): RoundTrip | null {
  const text = unseal(cookie, place(organisation));
  const kept = text === null ? null : (JSON.parse(text) as RoundTrip);
  return kept && now / 1000 - kept.at < LONGEST ? kept : null;
}

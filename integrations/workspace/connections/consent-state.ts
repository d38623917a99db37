import { seal, unseal } from "../../../core/database/sealed.ts";
import type { Principal } from "../../../core/declare/principal.ts";
import { randomHex } from "../../../core/security/crypto.ts";

/** Seconds before a consent expires. */
const LONGEST = 600;

/** The sealed state of a trip to the consent screen and back. */
export interface ConsentState {
  /** Where the person continues, a path on this site. */
  next: string;
  /** The requested scopes. */
  scopes: string[];
  /** The OAuth client of the consent. */
  clientId: string;
  /** Makes every state unique. */
  nonce: string;
  /** Start time, in seconds since 1970. */
  at: number;
}

/**
 * Binds the seal to one organisation and one person's credential. Another session, key or organisation cannot open it, so nobody can make a
 * person connect someone else's account.
 */
const placeFor = (organisation: string, { credential, accountId }: Principal) => ({
  table: "consent_states",
  column: accountId ?? "",
  organisation,
  row: credential.id,
});

/** Seals the `state` parameter. @param now milliseconds since 1970 */
export const sealState = (
  state: Omit<ConsentState, "nonce" | "at">,
  organisation: string,
  principal: Principal,
  now: number,
): string =>
  seal(
    JSON.stringify({ ...state, nonce: randomHex(16), at: Math.floor(now / 1000) } satisfies ConsentState),
    placeFor(organisation, principal),
  );

/** Opens a `state`; null if it is missing, expired, tampered with, or from another session or organisation. */
export function openState(
  text: string | undefined,
  organisation: string,
  principal: Principal,
  now: number,
): ConsentState | null {
  const opened = unseal(text, placeFor(organisation, principal));
  const state = opened === null ? null : (JSON.parse(opened) as ConsentState);
  return state && now / 1000 - state.at < LONGEST ? state : null;
}

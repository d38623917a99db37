import { seal, unseal } from "../../../core/database/sealed.ts";
import type { Principal } from "../../../core/request/context.ts";
import { randomHex } from "../../../core/security/crypto.ts";

/** Longest a person may take at the consent screen, in seconds. */
const LONGEST = 600;

/** What travels with a person to the consent screen and back, sealed. */
export interface ConsentState {
  /** Where the person goes on, a path of this site. */
  next: string;
  /** What was asked for. */
  scopes: string[];
  /** Whether mail was asked for. */
  mail: boolean;
  /** The OAuth client that asks. */
  clientId: string;
  /** Two states are never the same. */
  nonce: string;
  /** When it began, in seconds since 1970. */
  at: number;
}

/**
 * Sealed for one organisation and one credential of one person: with any other session or key, or on another organisation's host, it does
 * not open, so that nobody can have a person connect an account of somebody else.
 */
const placeFor = (organisation: string, { credential, accountId }: Principal) => ({
  table: "consent_states",
  column: accountId ?? "",
  organisation,
  row: credential.id,
});

/** Seals what is to come back as `state`. @param now milliseconds since 1970 */
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

/** Opens what came back; null for none, one that was tampered with, of another session or organisation, or too old. */
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

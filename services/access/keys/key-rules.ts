import { holds, isStoredForm } from "../../../core/declare/permissions.ts";
import { LONGEST_LIFE } from "../../../core/security/api-key.ts";

const TOO_FAR = "errors.apikey_expiry_too_far";

/** When a new key ends, as an ISO instant, null for never; or why it may not be so. */
export type Expiry = { at: string | null } | { refused: "errors.apikey_expiry_past" | typeof TOO_FAR };

/**
 * The end of a new key (access §6.2): after now, at most 366 days ahead, and never after that of the key that creates it, whose end it
 * takes when none is asked for.
 * @param asked ISO instant; null or undefined asks for no end
 * @param parentEnd ISO instant at which the creating key ends; null when it never does or when a session creates
 */
export function expiryOf(asked: string | null | undefined, now: Date, parentEnd: string | null): Expiry {
  if (asked === null || asked === undefined) return { at: parentEnd };
  const at = Date.parse(asked);
  if (at <= now.valueOf()) return { refused: "errors.apikey_expiry_past" };
  if (at > now.valueOf() + LONGEST_LIFE) return { refused: TOO_FAR };
  if (parentEnd !== null && at > Date.parse(parentEnd)) return { refused: TOO_FAR };
  return { at: new Date(at).toISOString() };
}

/** Whether every scope is a catalogue permission in stored form: never `*`, a bare scoped or a suffixed unscoped one. */
export const areScopes = (scopes: readonly string[]): boolean => scopes.every(isStoredForm);

/** Whether the caller holds every scope at least that broadly: `:any` covers `:own`, never the other way round. */
export const coversScopes = (grants: readonly string[], scopes: readonly string[]): boolean =>
  scopes.every((scope) => holds(grants, scope));

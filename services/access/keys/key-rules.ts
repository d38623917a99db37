import { holds, isStoredForm } from "../../../core/declare/permissions.ts";
import { LONGEST_LIFE } from "../../../core/security/api-key.ts";

const TOO_FAR = "errors.apikey_expiry_too_far";

/** When a new key ends, as an ISO instant or null for never; or why that end is refused. */
export type Expiry = { at: string | null } | { refused: "errors.apikey_expiry_past" | typeof TOO_FAR };

/**
 * The end of a new key (access §6.2): in the future, at most 366 days ahead, and never after its parent key's end, which is also the
 * default.
 * @param asked ISO instant; null or undefined requests no end
 * @param parentEnd ISO instant at which the parent key ends; null if it never does or a session creates the key
 */
export function expiryOf(asked: string | null | undefined, now: Date, parentEnd: string | null): Expiry {
  if (asked === null || asked === undefined) return { at: parentEnd };
  const at = Date.parse(asked);
  if (at <= now.valueOf()) return { refused: "errors.apikey_expiry_past" };
  if (at > now.valueOf() + LONGEST_LIFE) return { refused: TOO_FAR };
  if (parentEnd !== null && at > Date.parse(parentEnd)) return { refused: TOO_FAR };
  return { at: new Date(at).toISOString() };
}

/**
 * Whether every scope is a catalogue permission in stored form: no `*`, no scoped permission without its suffix, no suffix on an unscoped
 * one.
 */
export const areScopes = (scopes: readonly string[]): boolean => scopes.every(isStoredForm);

/** Whether the caller holds every scope at least as broadly: `:any` covers `:own`, not the reverse. */
export const coversScopes = (grants: readonly string[], scopes: readonly string[]): boolean =>
  scopes.every((scope) => holds(grants, scope));

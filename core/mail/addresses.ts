import { isEmail } from "../schema/schema.ts";

/**
 * The addresses in a text, separated by comma or semicolon. They are trimmed, in the order written and without duplicates, ignoring case.
 * Not validated: older texts may contain anything.
 */
export function addressesOf(text: string | null | undefined): string[] {
  const addresses = new Map<string, string>();
  for (const part of (text ?? "").split(/[,;]/)) {
    const address = part.trim();
    const key = address.toLowerCase();
    if (address !== "" && !addresses.has(key)) addresses.set(key, address);
  }
  return [...addresses.values()];
}

/** Joins addresses into one text, for storage and display. */
export const joinedAddresses = (addresses: readonly string[]): string => addresses.join(", ");

/**
 * One or several e-mail addresses as stored, in lower case (conventions §9); undefined if one is invalid or the text is too long (clients
 * §3).
 */
export function storedAddresses(text: string): string | undefined {
  const addresses = addressesOf(text.toLowerCase());
  const joined = joinedAddresses(addresses);
  return addresses.length > 0 && addresses.every(isEmail) && joined.length <= LONGEST_ADDRESSES ? joined : undefined;
}

/** Maximum characters of all addresses in one field, including separators. */
export const LONGEST_ADDRESSES = 320;

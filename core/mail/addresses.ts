import { isEmail } from "../declare/schema.ts";

/**
 * The addresses in a text that holds one or several, separated by comma or semicolon: trimmed, in the order written, each once whatever its
 * case. Not checked: a text that was stored before there was a rule may hold anything.
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

/** Addresses as one text, the way they are stored and shown. */
export const joinedAddresses = (addresses: readonly string[]): string => addresses.join(", ");

/** One or several e-mail addresses as they are stored; undefined where one is not valid or they are longer than the longest address (clients §3). */
export function storedAddresses(text: string): string | undefined {
  const addresses = addressesOf(text);
  const joined = joinedAddresses(addresses);
  return addresses.length > 0 && addresses.every(isEmail) && joined.length <= LONGEST_ADDRESSES ? joined : undefined;
}

/** Most characters of all addresses of one field together, separators included. */
export const LONGEST_ADDRESSES = 320;

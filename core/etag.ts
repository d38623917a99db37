import { request } from "./context.ts";
import { refusal } from "./errors.ts";

/** The strong entity tag of a row's state (RFC 9110 §8.8.3): its version, which every change of the row or its links counts up. */
export const etagOf = (version: number): string => `"${version}"`;

/** Whether an `If-Match` value names the state: `*`, or a list that holds the tag; weak tags never match (RFC 9110 §13.1.1). */
export function matches(ifMatch: string, version: number): boolean {
  return ifMatch.trim() === "*" || ifMatch.split(",").some((tag) => tag.trim() === etagOf(version));
}

/**
 * Compares the row that the running write has locked with the caller's `If-Match`, if it sent one.
 * @throws 412 when the row has moved on
 */
export function requireMatch(version: number): void {
  const store = request();
  if (store.ifMatch === null) return;
  store.ifMatchCompared = true;
  if (!matches(store.ifMatch, version)) throw refusal("precondition_failed");
}

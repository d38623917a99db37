import { refusal } from "../declare/errors.ts";
import { request } from "../request/context.ts";

/** The strong entity tag of a row's state (RFC 9110 §8.8.3): its version, which every change of the row or its links counts up. */
export const etagOf = (version: number): string => `"${version}"`;

/** Whether an `If-Match` value names the state: `*`, or a list that holds the tag; weak tags never match (RFC 9110 §13.1.1). */
export const matches = (ifMatch: string, version: number): boolean => namesTag(ifMatch, etagOf(version));

const namesTag = (ifMatch: string, tag: string): boolean =>
  ifMatch.trim() === "*" || ifMatch.split(",").some((one) => one.trim() === tag);

/**
 * Compares the row that the running write has locked with the caller's `If-Match`, if it sent one.
 * @throws 412 when the row has moved on
 */
export const requireMatch = (version: number): void => requireTag(etagOf(version));

/** The same for what has another tag than a row's version: a file, whose tag is its id. @throws 412 */
export function requireTag(tag: string): void {
  const store = request();
  if (store.ifMatch === null) return;
  store.ifMatchCompared = true;
  if (!namesTag(store.ifMatch, tag)) throw refusal("precondition_failed");
}

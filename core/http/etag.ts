import { refusal } from "../errors/errors.ts";
import { request } from "../request/context.ts";

/** The strong entity tag of a row's state (RFC 9110 §8.8.3): its version, which every change of the row or its links increments. */
export const etagOf = (version: number): string => `"${version}"`;

/** Whether an `If-Match` value matches the state: `*`, or a list with the tag; weak tags never match (RFC 9110 §13.1.1). */
export const matches = (ifMatch: string, version: number): boolean => namesTag(ifMatch, etagOf(version));

const namesTag = (ifMatch: string, tag: string): boolean =>
  ifMatch.trim() === "*" || ifMatch.split(",").some((one) => one.trim() === tag);

/**
 * Compares the row locked by the current write with the caller's `If-Match`, if it sent one.
 * @throws 412 when the row has changed
 */
export const requireMatch = (version: number): void => requireTag(etagOf(version));

/** Like `requireMatch`, for a tag that is not a row's version: a file, whose tag is its id. @throws 412 */
export function requireTag(tag: string): void {
  const store = request();
  if (store.ifMatch === null) return;
  store.ifMatchCompared = true;
  if (!namesTag(store.ifMatch, tag)) throw refusal("precondition_failed");
}

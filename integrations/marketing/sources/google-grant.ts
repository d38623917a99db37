import { addDays, dateIn, wallInstant } from "../../../core/calendar/calendar.ts";
import type { LibraryApi, LibraryClients } from "../../../mixins/google/apis.ts";
import { callGoogle, type GoogleAccess, googleAccess } from "../../../mixins/google/client.ts";
import { GoogleFailure, type GoogleFailureKind } from "../../../mixins/google/failure.ts";
import { DISCONNECTED, GRANT_REFUSED, NO_ACCESS, QUOTA_USED_UP, SCOPE_INSUFFICIENT, UNREADABLE } from "./failures.ts";
import { type SourceAccess, SourceFailure } from "./source.ts";

/** The zone in which Google's daily quotas reset at midnight. */
const PACIFIC = "America/Los_Angeles";

const KEYS: Readonly<Partial<Record<GoogleFailureKind, string>>> = {
  api_disabled: "marketing.api_not_enabled",
  scope: SCOPE_INSUFFICIENT,
  grant: GRANT_REFUSED,
  not_connected: DISCONNECTED,
  not_configured: DISCONNECTED,
  rate: QUOTA_USED_UP,
};

/** The next midnight in Google's quota zone, UTC, ISO 8601. @param now milliseconds since 1970 */
export const nextPacificDay = (now: number): string => wallInstant(PACIFIC, `${addDays(dateIn(PACIFIC, now), 1)}T00:00`);

/** Whether a refusal concerns a daily quota, not an hourly one; the reason or the message says which. */
const isDaily = ({ kind, reason, message }: GoogleFailure): boolean =>
  kind === "rate" && (/^daily/.test(reason ?? "") || /per day|daily/i.test(message));

/** The key of a failure. A 403 that is neither scope, API nor quota is about the property: a 401 is not. */
const keyOf = ({ kind, status }: GoogleFailure): string =>
  kind === "forbidden" && status === 403 ? NO_ACCESS : (KEYS[kind] ?? UNREADABLE);

/** Maps a failure of Google to a SourceFailure (marketing-ads §2.3), which names the cause of every 403. */
export function sourceFailure(failure: GoogleFailure, now = Date.now()): SourceFailure {
  const pausedUntil = isDaily(failure) ? nextPacificDay(now) : null;
  return new SourceFailure(keyOf(failure), { pausedUntil, cause: failure });
}

/** The failure for a malformed answer: HTML, another shape, or truncated. */
export const unreadable = (what: string): SourceFailure => new SourceFailure(UNREADABLE, { cause: new TypeError(what) });

const opened = new WeakMap<SourceAccess, GoogleAccess>();

/** The Google access of a source; looks up its token once per run or request. @throws SourceFailure without a connection */
export function grantOf(access: SourceAccess): GoogleAccess {
  if (access.connectionId === null) throw new SourceFailure(DISCONNECTED);
  let grant = opened.get(access);
  if (!grant) opened.set(access, (grant = googleAccess({ id: access.connectionId }, access.transactions)));
  return grant;
}

/** One read request to Google. */
export interface SourceRead<A extends LibraryApi> {
  api: A;
  /** Name in logs and traces, such as `properties.runReport`. */
  operation: string;
  /** The property or site whose limits apply. */
  about?: string;
}

/** Reads from Google with a person's grant. @returns the answer, an object with arbitrary fields @throws SourceFailure */
export async function readGoogle<A extends LibraryApi, T extends object>(
  access: SourceAccess,
  { api, operation, about }: SourceRead<A>,
  ask: (client: LibraryClients[A]) => Promise<{ data: T }>,
): Promise<T> {
  const grant = grantOf(access);
  const { signal } = access;
  try {
    const call = { api, operation, effect: "read" as const, ...(about !== undefined && { about }), ...(signal && { signal }) };
    const answer: unknown = await callGoogle(grant, call, ask);
    // The client returns an HTML page as a string.
    if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw unreadable("the answer is not an object");
    return answer as T;
  } catch (error) {
    throw error instanceof GoogleFailure ? sourceFailure(error) : error;
  }
}

/** The list in an answer; empty if missing, because Google omits empty lists. @throws SourceFailure for anything else */
export function listIn(value: unknown, what: string): Record<string, unknown>[] {
  if (value === undefined || value === null) return [];
  const isList = Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null);
  if (!isList) throw unreadable(`${what} is not a list of objects`);
  return value as Record<string, unknown>[];
}

/** @throws SourceFailure unless it is text */
export function textIn(value: unknown, what: string): string {
  if (typeof value !== "string") throw unreadable(`${what} is not a text`);
  return value;
}

/** Stops before any call while the link is paused. @throws SourceFailure while its quota is used up */
export function requireNotPaused({ paused_until }: { paused_until: string | null }, now = Date.now()): void {
  if (paused_until !== null && Date.parse(paused_until) > now)
    throw new SourceFailure(QUOTA_USED_UP, { pausedUntil: paused_until });
}

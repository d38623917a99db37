import { addDays, dateIn, wallInstant } from "../../../core/calendar/calendar.ts";
import type { LibraryApi, LibraryClients } from "../../../mixins/google/apis.ts";
import { callGoogle, type GoogleAccess, googleAccess } from "../../../mixins/google/client.ts";
import { GoogleFailure, type GoogleFailureKind } from "../../../mixins/google/failure.ts";
import { DISCONNECTED, GRANT_REFUSED, QUOTA_USED_UP, SCOPE_INSUFFICIENT, UNREADABLE } from "./failures.ts";
import { type SourceAccess, SourceFailure } from "./source.ts";

/** Where Google's quotas of a day begin anew at midnight. */
const PACIFIC = "America/Los_Angeles";

const KEYS: Readonly<Partial<Record<GoogleFailureKind, string>>> = {
  api_disabled: "marketing.api_not_enabled",
  scope: SCOPE_INSUFFICIENT,
  grant: GRANT_REFUSED,
  not_connected: DISCONNECTED,
  not_configured: DISCONNECTED,
  rate: QUOTA_USED_UP,
};

/** The next midnight on Google's clock, UTC, ISO 8601. @param now milliseconds since 1970 */
export const nextPacificDay = (now: number): string => wallInstant(PACIFIC, `${addDays(dateIn(PACIFIC, now), 1)}T00:00`);

/** Whether a refusal is about the quota of a whole day: its reason says so, or its words, which tell it from that of an hour. */
const isDaily = ({ kind, reason, message }: GoogleFailure): boolean =>
  kind === "rate" && (/^daily/.test(reason ?? "") || /per day|daily/i.test(message));

/** A failure of Google as the source's (marketing-ads §2.3): every 403 says which one it is. */
export function sourceFailure(failure: GoogleFailure, now = Date.now()): SourceFailure {
  const pausedUntil = isDaily(failure) ? nextPacificDay(now) : null;
  return new SourceFailure(KEYS[failure.kind] ?? UNREADABLE, { pausedUntil, cause: failure });
}

/** An answer that is not what the provider describes: HTML, another shape, half of it. */
export const unreadable = (what: string): SourceFailure => new SourceFailure(UNREADABLE, { cause: new TypeError(what) });

const opened = new WeakMap<SourceAccess, GoogleAccess>();

/** The grant that a source is read with; its token is looked up once per run or request. @throws SourceFailure without a connection */
export function grantOf(access: SourceAccess): GoogleAccess {
  if (access.connectionId === null) throw new SourceFailure(DISCONNECTED);
  let grant = opened.get(access);
  if (!grant) opened.set(access, (grant = googleAccess({ id: access.connectionId }, access.transactions)));
  return grant;
}

/** One read of a source at Google. */
export interface SourceRead<A extends LibraryApi> {
  api: A;
  /** Its name in logs and traces, such as `properties.runReport`. */
  operation: string;
  /** The property or site whose limits count. */
  about?: string;
}

/**
 * Reads from Google with a person's grant.
 * @returns the answer, an object of whatever fields
 * @throws SourceFailure
 */
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
    // A page of HTML comes as text.
    if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw unreadable("the answer is no object");
    return answer as T;
  } catch (error) {
    throw error instanceof GoogleFailure ? sourceFailure(error) : error;
  }
}

/** The list in an answer; an empty one where it is absent, as empty lists are left out. @throws SourceFailure for anything else */
export function listIn(value: unknown, what: string): Record<string, unknown>[] {
  if (value === undefined || value === null) return [];
  const isList = Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null);
  if (!isList) throw unreadable(`${what} is no list of objects`);
  return value as Record<string, unknown>[];
}

/** @throws SourceFailure for what is no text */
export function textIn(value: unknown, what: string): string {
  if (typeof value !== "string") throw unreadable(`${what} is no text`);
  return value;
}

/** The link's pause, before anything is called. @throws SourceFailure while the quota is known to be used up */
export function requireNotPaused({ paused_until }: { paused_until: string | null }, now = Date.now()): void {
  if (paused_until !== null && Date.parse(paused_until) > now)
    throw new SourceFailure(QUOTA_USED_UP, { pausedUntil: paused_until });
}

import type { IncomingMessage } from "node:http";
import { forbidden } from "../../../core/errors/errors.ts";

/** An unverified credential as presented. A grant counts only with a session (access §11.3). */
export type Credential =
  | { kind: "key"; lookup: string; secret: string; value: string }
  | { kind: "session"; value: string; grant: string | null };

/** The credential without its impersonation grant, for actions that concern the signed-in person. */
export const withoutGrant = (credential: Credential | null): Credential | null =>
  credential?.kind === "session" ? { ...credential, grant: null } : credential;

/** The form of a grant's value; other cookie values are ignored. */
const GRANT = /^[0-9a-f]{64}$/;

const headerOf = (value: string | string[] | undefined): string => (Array.isArray(value) ? (value[0] ?? "") : (value ?? ""));

/** Value of a cookie by name, or undefined. */
export function cookieOf(request: IncomingMessage, name: string): string | undefined {
  for (const part of headerOf(request.headers.cookie).split(";")) {
    const at = part.indexOf("=");
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

/** A `Cookie` header without the cookie of that name. */
export const withoutCookie = (header: string, name: string): string =>
  header
    .split(";")
    .filter((part) => part.slice(0, part.indexOf("=")).trim() !== name)
    .join(";");

/** Reads credentials in the order of conventions §3.1: `X-API-Key`, then a bearer value with our prefix, then the session cookie. */
export function credentialReader(
  keyPrefix: string,
  cookies: { session: string; grant: string },
): (request: IncomingMessage) => Credential | null {
  const form = new RegExp(`^${keyPrefix}_([0-9a-f]{12})_([0-9a-f]{64})$`);
  const keyOf = (value: string): Credential => {
    // A malformed key is looked up too, so that host and organisation are checked first.
    const [, lookup = "", secret = ""] = form.exec(value) ?? [];
    return { kind: "key", lookup, secret, value };
  };
  return (request) => {
    const presented = headerOf(request.headers["x-api-key"]);
    if (presented !== "") return keyOf(presented);
    const bearer = /^Bearer +(\S+) *$/i.exec(headerOf(request.headers.authorization))?.[1];
    if (bearer?.startsWith(`${keyPrefix}_`)) return keyOf(bearer);
    const session = cookieOf(request, cookies.session);
    if (!session) return null;
    const grant = cookieOf(request, cookies.grant);
    return { kind: "session", value: session, grant: grant && GRANT.test(grant) ? grant : null };
  };
}

/**
 * Rejects a cross-site write by a browser (conventions §3.1).
 * @throws 403 when `Origin` or `Sec-Fetch-Site` is present and names another origin
 */
export function requireSameOrigin(request: IncomingMessage, origin: string): void {
  if (request.method === "GET" || request.method === "HEAD") return;
  const { origin: sent, "sec-fetch-site": site } = request.headers;
  if (sent !== undefined && sent.toLowerCase() !== origin) throw forbidden();
  if (site !== undefined && site !== "same-origin") throw forbidden();
}

/** The destination of a redirect URI, for the visitor and for the browser's policy. */
export interface ReturnPlace {
  kind: "site" | "loopback" | "app";
  /** The host of a site; null for programs on the visitor's own machine. */
  host: string | null;
  /** The CSP source expression that lets the form redirect there (CSP 3 §2.3.1). */
  source: string;
}

const PLAIN_HOST = /^[a-z0-9.-]+(:\d+)?$/;
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** @param uri a validated redirect URI */
export function returnPlace(uri: string): ReturnPlace {
  const { protocol, host, hostname } = new URL(uri);
  if (protocol !== "https:" && protocol !== "http:") return { kind: "app", host: null, source: protocol };
  // CSP source expressions cannot name an IPv6 address.
  const source = PLAIN_HOST.test(host) ? `${protocol}//${host}` : protocol;
  return LOOPBACK.has(hostname) ? { kind: "loopback", host: null, source } : { kind: "site", host, source };
}

/** Where a redirect URI leads, as a person understands it and as a browser's policy names it. */
export interface ReturnPlace {
  kind: "site" | "loopback" | "app";
  /** The host of a site; null for what is on the visitor's own machine. */
  host: string | null;
  /** The source expression that lets a form end there (CSP 3 §2.3.1). */
  source: string;
}

const PLAIN_HOST = /^[a-z0-9.-]+(:\d+)?$/;
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** @param uri a redirect URI that was checked */
export function returnPlace(uri: string): ReturnPlace {
  const { protocol, host, hostname } = new URL(uri);
  if (protocol !== "https:" && protocol !== "http:") return { kind: "app", host: null, source: protocol };
  // No source expression names an IPv6 address.
  const source = PLAIN_HOST.test(host) ? `${protocol}//${host}` : protocol;
  return LOOPBACK.has(hostname) ? { kind: "loopback", host: null, source } : { kind: "site", host, source };
}

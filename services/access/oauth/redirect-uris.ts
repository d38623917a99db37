/** Most characters of a redirect URI. */
const LONGEST = 1024;
/** Schemes whose addresses run script, read files or show a page's own content (access §8.2). */
const SCRIPT_LIKE = new Set([
  "javascript:",
  "data:",
  "vbscript:",
  "file:",
  "about:",
  "blob:",
  "filesystem:",
  "jar:",
  "view-source:",
]);
/** A host name or address, without characters that are special in a header. */
const HOST = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])$/;
const LOOPBACK_NAMES = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** A loopback redirect by IP address: the parts before and after its port. */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?((?:[/?].*)?)$/;

/**
 * Whether a client can register a redirect URI (access §8.2): https, loopback http, or its own scheme; no fragment, no user, and no
 * characters that browsers rewrite.
 */
export function isRedirectUri(uri: string): boolean {
  if (uri.length > LONGEST || !/^[a-z][a-z0-9+.-]*:[!-~]+$/i.test(uri) || /[#\\"<>^`{|}]/.test(uri) || !URL.canParse(uri))
    return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (SCRIPT_LIKE.has(protocol) || username !== "" || password !== "") return false;
  if (protocol === "https:" || protocol === "http:") {
    if (!/^https?:\/\/[^/]/i.test(uri)) return false;
    return protocol === "https:" ? HOST.test(hostname) : LOOPBACK_NAMES.has(hostname);
  }
  return true;
}

/**
 * Whether a requested redirect URI is registered: an exact match (RFC 9700 §2.1). A loopback redirect may differ in its port, because
 * applications use any free one (RFC 8252 §7.3).
 */
export function isRegistered(sent: string, registered: readonly string[]): boolean {
  if (registered.includes(sent)) return true;
  const asked = LOOPBACK.exec(sent);
  if (!asked || Number(asked[2] ?? 80) > 65_535 || !isRedirectUri(sent)) return false;
  return registered.some((one) => {
    const known = LOOPBACK.exec(one);
    return known !== null && known[1] === asked[1] && known[3] === asked[3];
  });
}

/** Most characters of a redirect URI. */
const LONGEST = 1024;
/** Schemes whose addresses run script, read files or show what a page made (access §8.2). */
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
/** A name or an address, nothing that means something in a header. */
const HOST = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])$/;
const LOOPBACK_NAMES = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** A redirect to this machine by address: what stands before its port, and what stands behind. */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?((?:[/?].*)?)$/;

/**
 * Whether a client may register a redirect URI (access §8.2): https, http to this machine, or a scheme of its own; no fragment, no user, and
 * nothing in it that a browser reads as something else than stands there.
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
 * Whether a redirect URI of a request is one of the registered: exactly that string (RFC 9700 §2.1). A redirect to this machine may differ in
 * its port alone, which an app takes as it finds one free (RFC 8252 §7.3).
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

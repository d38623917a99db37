import { isHttpsOnly, OutboundRefused, type Target } from "./policy.ts";

/** Ports of services that would read an HTTP request as commands; browsers block them too (Fetch standard, "bad port"). */
const BAD_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113,
  115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556,
  563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666,
  6667, 6668, 6669, 6679, 6697, 10080, 11211,
]);

const MOST_CHARACTERS = 8192;

const withoutDot = (host: string): string => host.replace(/\.$/, "");
const bare = (host: string): string => withoutDot(host.replace(/^\[(.*)\]$/, "$1"));

/**
 * Parses an HTTP address. The URL standard decodes decimal, octal, hexadecimal, full-width and percent-encoded hosts and converts
 * international names to ASCII, so the checked host is the called host.
 * @throws OutboundRefused if it is not an http(s) address, contains credentials or names a port of another service
 */
export function readUrl(target: Target, given: string): URL {
  const refuse = (reason: "invalid" | "https_required" | "credentials" | "port", message: string) =>
    new OutboundRefused(target, reason, message);
  // The URL parser would silently drop blanks and control characters, so the address shown would differ from the one called.
  const url = given.length <= MOST_CHARACTERS && /^[^\s\\\p{Cc}]+$/u.test(given) && URL.canParse(given) ? new URL(given) : null;
  if (!url || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(given))
    throw refuse("invalid", "not an http or https address");
  if (isHttpsOnly(target) && url.protocol !== "https:") throw refuse("https_required", "the address must be https");
  if (url.username !== "" || url.password !== "") throw refuse("credentials", "the address contains a user name or password");
  if (url.port !== "" && BAD_PORTS.has(Number(url.port))) throw refuse("port", `port ${url.port} belongs to another service`);
  url.hostname = withoutDot(url.hostname);
  url.hash = "";
  return url;
}

/** The host of a parsed address, ready to resolve. */
export const hostOf = (url: URL): string => bare(url.hostname);

/**
 * Parses the host of a relay, in any spelling that URLs allow.
 * @throws OutboundRefused for an invalid host name, address or port
 */
export function readHost(target: Target, host: string, port: number): string {
  const spelled = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  const text = `http://${spelled}/`;
  const url = /^[^\s\\/?#@%\p{Cc}]{1,255}$/u.test(spelled) && URL.canParse(text) ? new URL(text) : null;
  if (url?.port !== "" || /:\d*$/.test(spelled.replace(/^\[.*\]/, "")))
    throw new OutboundRefused(target, "invalid", "not a host name");
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw new OutboundRefused(target, "port", "not a port");
  return bare(url.hostname);
}

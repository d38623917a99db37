import { domainToASCII } from "node:url";

const WITH_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const WEB = /^https?:\/\//i;
/** `https:///path` reads as the host `path` (WHATWG URL), which nobody means who writes it. */
const WITH_AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/\\?#]/i;
/** A host with a dot, perhaps with a port, and what follows it. */
const BARE = /^[^\s/?#\\:@]+\.[^\s/?#\\:@]+(?::\d{1,5})?(?:[/?#]|$)/;

/** The host of an absolute web address in ASCII, as DNS knows it; null for an address without one. */
export function webHost(address: string): string | null {
  if (!WEB.test(address) || !WITH_AUTHORITY.test(address) || /\s/.test(address) || !URL.canParse(address)) return null;
  const host = new URL(address).hostname.replace(/\.+$/, "");
  if (host.split(".").includes("")) return null;
  return domainToASCII(host) || host;
}

/** Whether a visitor can be sent there: an address with a host, or a bare host such as `www.example.com/shop`. */
export function leadsToHost(address: string): boolean {
  if (WEB.test(address)) return webHost(address) !== null;
  if (WITH_SCHEME.test(address)) return WITH_AUTHORITY.test(address) && URL.canParse(address);
  return BARE.test(address) && webHost(`https://${address}`) !== null;
}

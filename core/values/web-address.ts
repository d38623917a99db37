import { domainToASCII } from "node:url";

const WITH_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const WEB = /^https?:\/\//i;
/** The WHATWG URL standard parses `https:///path` as the host `path`, which no author means. */
const WITH_AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/\\?#]/i;
/** A host with a dot, an optional port, and the rest. */
const BARE = /^[^\s/?#\\:@]+\.[^\s/?#\\:@]+(?::\d{1,5})?(?:[/?#]|$)/;

/** The host of an absolute web address, in ASCII as in DNS; null without one. */
export function webHost(address: string): string | null {
  if (!WEB.test(address) || !WITH_AUTHORITY.test(address) || /\s/.test(address) || !URL.canParse(address)) return null;
  const host = new URL(address).hostname.replace(/\.+$/, "");
  if (host.split(".").includes("")) return null;
  return domainToASCII(host) || host;
}

/** Whether an address can lead a visitor to a host: it has a host, or is a bare host such as `www.example.com/shop`. */
export function leadsToHost(address: string): boolean {
  if (WEB.test(address)) return webHost(address) !== null;
  if (WITH_SCHEME.test(address)) return WITH_AUTHORITY.test(address) && URL.canParse(address);
  return BARE.test(address) && webHost(`https://${address}`) !== null;
}

import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import type { Config } from "../../../core/config/config.ts";
import { refusal } from "../../../core/errors/errors.ts";

/** Reads the caller and host of a request; trusts forwarded headers only from trusted peers (conventions §2, §13). */
export interface Callers {
  /** Effective host name: lower case, without port. */
  host(request: IncomingMessage): string;
  /** Client address: the socket's, or from a trusted peer the right-most forwarded address that is not trusted. */
  address(request: IncomingMessage): string;
  /** Scheme, host and port as callers see them, for links and the same-origin check. */
  origin(host: string): string;
  /** The slug if the host is one label under the base domain, else null. */
  slug(host: string): string | null;
}

const plain = (address: string): string =>
  address.startsWith("::ffff:") && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
/** An address of a forwarded-for header: some proxies add the port, to IPv6 in brackets. */
const withoutPort = (hop: string): string => /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
const first = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value[0] : value)?.split(",")[0]?.trim();

function trustList(ranges: readonly string[]): BlockList {
  const trusted = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  return trusted;
}

/**
 * Rejects a request with several `Host` headers: two servers on its path could trust different ones (RFC 9112 §3.2).
 * @throws 400
 */
export function requireOneHost({ rawHeaders }: IncomingMessage): void {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && /^host$/i.test(rawHeaders[at] as string)) hosts += 1;
  if (hosts > 1) throw refusal("bad_request");
}

/** @param port the listening port, which callers see when no public port is set and the scheme is http */
export function readCallers(config: Config, scheme: "http" | "https", port: number | undefined): Callers {
  const trusted = trustList(config.trustedProxies ?? []);
  const isTrusted = (address: string) => isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  const peer = (request: IncomingMessage) => plain(request.socket.remoteAddress ?? "");
  const anyTrusted = (config.trustedProxies ?? []).length > 0;
  const suffix = `.${config.baseDomain}`;
  const visible = port === undefined || port === (scheme === "https" ? 443 : 80) ? "" : `:${port}`;
  return {
    host(request) {
      const forwarded = anyTrusted && isTrusted(peer(request)) ? first(request.headers["x-forwarded-host"]) : undefined;
      const given = (forwarded || request.headers.host || "").toLowerCase();
      const bare = given.startsWith("[") ? given.slice(0, given.indexOf("]") + 1) : given.replace(/:\d*$/, "");
      return bare.endsWith(".") ? bare.slice(0, -1) : bare;
    },
    address(request) {
      const socket = peer(request);
      if (!anyTrusted || !isTrusted(socket)) return socket;
      const hops = String(request.headers["x-forwarded-for"] ?? "")
        .split(",")
        .map((hop) => plain(withoutPort(hop.trim())));
      const nearest = hops.findLast((hop) => !isTrusted(hop)) ?? "";
      // The caller may have invented every entry to the left of an invalid one.
      return isIP(nearest) === 0 ? socket : nearest;
    },
    origin: (host) => `${scheme}://${host}${visible}`,
    slug(host) {
      if (!host.endsWith(suffix)) return null;
      const label = host.slice(0, -suffix.length);
      return label.length > 0 && !label.includes(".") ? label : null;
    },
  };
}

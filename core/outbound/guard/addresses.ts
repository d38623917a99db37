import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** The kind of an address, for a caller that must not reach the installation's own network. */
export type AddressKind = "public" | "private" | "loopback" | "link_local" | "metadata" | "reserved";

/** Addresses where clouds return a machine's credentials to any process on it. */
const METADATA = new Set([
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
]);

const KINDS: Record<string, AddressKind> = {
  unicast: "public",
  private: "private",
  carrierGradeNat: "private",
  uniqueLocal: "private",
  deprecatedSiteLocal: "private",
  loopback: "loopback",
  linkLocal: "link_local",
};

/** Worst first: the kind of an address with several kinds is the worst of them. */
const ORDER: readonly AddressKind[] = ["metadata", "loopback", "link_local", "private", "reserved", "public"];
const worst = (kinds: AddressKind[]): AddressKind => ORDER.find((kind) => kinds.includes(kind)) ?? "reserved";

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");
/** NAT64's well-known prefix (RFC 6052). Where a local one (64:ff9b:1::/48, RFC 8215) embeds the IPv4 address, only its owner knows. */
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/** The IPv4 addresses that a packet to this IPv6 address would reach or pass, according to its transition technique. */
function embedded(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const bytes = address.toByteArray();
  const at = (index: number, mask = 0) => new ipaddr.IPv4(bytes.slice(index, index + 4).map((byte) => byte ^ mask));
  const isCompatible = bytes.slice(0, 12).every((byte) => byte === 0) && bytes.slice(12).some((byte) => byte > 1);
  if (isCompatible || address.match(NAT64)) return [at(12)];
  switch (address.range()) {
    case "ipv4Mapped": // RFC 4291 §2.5.5.2
    case "rfc6145": // RFC 2765 ::ffff:0:a.b.c.d
      return [at(12)];
    case "6to4": // RFC 3056
      return [at(2)];
    case "teredo": // RFC 4380: the server, and the client with its bits inverted
      return [at(4), at(12, 0xff)];
    default:
      return [];
  }
}

/**
 * The kind of an address by the IANA special-purpose registries; an IPv4 address inside IPv6 is unwrapped first (conventions §17).
 * @param text a literal IPv4 or IPv6 address; anything else is `reserved`
 */
export function addressKind(text: string): AddressKind {
  const bare = text.replace(/%.*$/, "");
  if (isIP(bare) === 0) return "reserved";
  const address = ipaddr.parse(bare);
  if (METADATA.has(address.toString())) return "metadata";
  if (address instanceof ipaddr.IPv4) return KINDS[address.range()] ?? "reserved";
  const inner = embedded(address);
  if (inner.length > 0) return worst(inner.map((one) => addressKind(one.toString())));
  const kind = KINDS[address.range()] ?? "reserved";
  return kind === "public" && !address.match(GLOBAL_UNICAST) ? "reserved" : kind;
}

/** Whether an address is in one of the ranges, `10.0.0.0/8` or a single address; IPv4 inside IPv6 counts as IPv4. */
export function isWithin(text: string, ranges: readonly string[]): boolean {
  const address = ipaddr.process(text.replace(/%.*$/, ""));
  return ranges.some((range) => {
    const [network, bits] = range.includes("/") ? ipaddr.parseCIDR(range) : [ipaddr.parse(range), undefined];
    if (network.kind() !== address.kind()) return false;
    return address.match([network, bits ?? (network.kind() === "ipv4" ? 32 : 128)] as never);
  });
}

import { readUrl } from "../../outbound/guard/addressing.ts";
import { OutboundRefused } from "../../outbound/guard/policy.ts";
import { shortened } from "../../values/stored-text.ts";
import { type ChannelAddress, ChannelAddressRefused } from "./channel.ts";

/** Longest address of a channel, in characters. */
const LONGEST = 2048;
const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
const SHOWN = 6;

/** The redacted form of an address: its transport and at most six characters (platform chapter §5.6). */
export const redactedAddress = (transport: string, rest: string): string => `${transport}://${shortened(rest, SHOWN)}****`;

/** The redacted form of a mailbox: its first character and its domain. */
export const redactedMailbox = (address: string): string => {
  const [first = ""] = address;
  return `${first}***${address.slice(address.lastIndexOf("@"))}`;
};

/** The scheme before `://`, in lower case; null if there is none. */
export const schemeOf = (typed: string): string | null => SCHEME.exec(typed)?.[1]?.toLowerCase() ?? null;

/** Whether an address is http or https. */
export const isWeb = (typed: string): boolean => /^https?$/.test(schemeOf(typed) ?? "");

/** A trimmed address. @throws ChannelAddressRefused if it is empty, too long or contains control characters */
export function plainAddress(typed: string): string {
  const address = typed.trim();
  if (address === "" || address.length > LONGEST || /\p{Cc}/u.test(address)) throw new ChannelAddressRefused("input");
  return address;
}

/** An address of a kind without its own scheme. @throws ChannelAddressRefused `blocked` for an unsupported scheme */
export function bareAddress(typed: string): string {
  const address = plainAddress(typed);
  if (schemeOf(address) !== null && !isWeb(address)) throw new ChannelAddressRefused("blocked");
  return address;
}

/**
 * Parses a web address.
 * @throws ChannelAddressRefused `blocked` for another scheme or a blocked port; `input` for an invalid address
 */
export function webAddress(typed: string): URL {
  const address = bareAddress(typed);
  try {
    return readUrl("notification", address);
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error;
    throw new ChannelAddressRefused(error.reason === "port" ? "blocked" : "input");
  }
}

/** A provider's address with a fixed host and path. @throws ChannelAddressRefused */
export function providerAddress(typed: string, hosts: RegExp, pathname: RegExp): ChannelAddress {
  const url = webAddress(typed);
  const { protocol, hostname, href } = url;
  if (protocol !== "https:" || !hosts.test(hostname) || !pathname.test(url.pathname)) throw new ChannelAddressRefused("input");
  return { stored: href, redacted: redactedAddress("https", hostname), web: null };
}

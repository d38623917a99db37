import { domainToUnicode } from "node:url";
import { invalid, refusal } from "../../core/errors/errors.ts";
import { asciiName } from "../../core/values/host-name.ts";
import type { SplitName } from "./provider.ts";

const HOST = /^(?=.{3,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const [FEWEST, MOST] = [2, 6];

/** The name in Unicode, for display (RFC 5891). @param name in ASCII */
export const labelOf = (name: string): string => domainToUnicode(name) || name;

/** Splits a listed name at its first dot (assets §10.3); `tld` is null for a single label. */
export function atFirstDot(name: string): { sld: string; tld: string | null } {
  const dot = name.indexOf(".");
  return dot < 0 ? { sld: name, tld: null } : { sld: name.slice(0, dot), tld: name.slice(dot + 1) };
}

/**
 * Splits a domain name for the registrar: at the longest TLD it sells, with exactly one label before it (assets §10.4).
 * @param name in ASCII
 * @param tlds the TLDs the registrar sells, as last verified
 * @throws 409 registrar_not_verified without any, registrar_unknown_tld if none matches or the name is a subdomain
 */
export function splitName(name: string, tlds: readonly string[]): SplitName {
  if (tlds.length === 0) throw refusal("registrar_not_verified");
  const fitting = tlds.map(asciiName).filter((tld) => name.endsWith(`.${tld}`));
  const tld = fitting.toSorted((one, other) => other.length - one.length)[0];
  const sld = tld === undefined ? "" : name.slice(0, -tld.length - 1);
  if (tld === undefined || sld === "" || sld.includes(".")) throw refusal("registrar_unknown_tld");
  return { sld, tld };
}

/**
 * The requested name servers: lower-case ASCII host names, unique, sorted (assets §10.4).
 * @throws 422 on `nameservers` for an invalid host name or one without a dot, and for fewer than two or more than six
 */
export function askedHosts(typed: readonly string[]): string[] {
  const hosts = [...new Set(typed.map(asciiName))].sort();
  if (!hosts.every((host) => HOST.test(host))) throw invalid({ nameservers: "errors.invalid_hostname" });
  if (hosts.length < FEWEST || hosts.length > MOST) throw invalid({ nameservers: "errors.invalid_nameserver_count" });
  return hosts;
}

import { isIP } from "node:net";
import { asciiName } from "../../../core/values/host-name.ts";

/** The host of a target, which is an address or a host; null if it cannot belong to a domain. */
export function hostOf(target: string | null): string | null {
  if (target === null) return null;
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(target) ? target : `http://${target}`;
  if (!URL.canParse(address)) return null;
  const host = asciiName(new URL(address).hostname.replace(/\.$/, ""));
  return host === "" || host.startsWith("[") || isIP(host) !== 0 ? null : host;
}

/**
 * The names to match a target by: its host, then its parent domains, most specific first. An apex and its `www` are the same
 * (workspace-reporting §5, "Matching").
 */
export function hostNames(target: string | null): string[] {
  const host = hostOf(target)?.replace(/^www\./, "");
  const parts = host?.split(".") ?? [];
  return parts.slice(0, Math.max(0, parts.length - 1)).map((_, index) => parts.slice(index).join("."));
}

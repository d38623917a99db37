import { invalid, refusal } from "../../../../core/errors/errors.ts";
import { isDangerousLink } from "../../../../core/schema/schema.ts";
import { webHost } from "../../../../core/values/web-address.ts";

/**
 * Whether a redirect would loop back to its own source (assets §8.1).
 * @param apex the domain's name in ASCII
 * @param includesSubdomains whether hosts below it are redirected too
 */
export function isLoop(target: string, apex: string, includesSubdomains: boolean): boolean {
  const host = webHost(target) ?? "";
  return host === apex || (includesSubdomains && host.endsWith(`.${apex}`));
}

/** Whether an address is a valid target: an absolute web address without script. */
export const isTarget = (address: string): boolean => !isDangerousLink(address) && webHost(address) !== null;

/** @throws 422 for an invalid target, or one that loops back */
export function requireTarget(target: string, apex: string, includesSubdomains: boolean): void {
  if (!isTarget(target)) throw invalid({ target_url: "errors.edge_target_absolute" });
  if (isLoop(target, apex, includesSubdomains))
    throw refusal("edge_redirect_loop", undefined, { fields: { target_url: "errors.edge_redirect_loop" } });
}

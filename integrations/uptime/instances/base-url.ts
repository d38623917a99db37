import { invalid, refusal } from "../../../core/errors/errors.ts";
import { checkUrl, OutboundFailed } from "../../../core/outbound/call.ts";
import { readUrl } from "../../../core/outbound/guard/addressing.ts";
import { OutboundRefused } from "../../../core/outbound/guard/policy.ts";
import type { InstanceMode } from "../models.ts";

const refused = () => refusal("validation", "errors.uptime_invalid_url", { fields: { base_url: "errors.uptime_invalid_url" } });

/**
 * Normalises the address of a server: absolute, with its subpath, without trailing slash, query or fragment; null if none was sent. Looks
 * up the host and rejects a non-public one unless the operator allows it.
 * @throws 422 `errors.uptime_invalid_url`, 400 `errors.uptime_base_url_required` for a managed server without one
 */
export async function readBaseUrl(mode: InstanceMode, sent: string | null | undefined): Promise<string | null> {
  const typed = sent?.trim() ?? "";
  if (typed === "") {
    if (mode === "linked") return null;
    throw refusal("validation_error", "errors.uptime_base_url_required", {
      fields: { base_url: "errors.uptime_base_url_required" },
    });
  }
  try {
    const url = readUrl("uptime", typed);
    if (url.search !== "") throw refused();
    await checkUrl("uptime", url.href);
    return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  } catch (error) {
    if (error instanceof OutboundFailed) throw invalid({ base_url: "errors.uptime_unreachable" });
    if (error instanceof OutboundRefused && error.reason === "unresolved" && !error.isKnownAbsent)
      return typed.replace(/\/+$/, "");
    if (error instanceof OutboundRefused) throw refused();
    throw error;
  }
}

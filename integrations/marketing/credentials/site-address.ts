import { invalid } from "../../../core/declare/errors.ts";
import { checkSaved } from "../../../core/outbound/call.ts";
import { readUrl } from "../../../core/outbound/guard/addressing.ts";
import { OutboundRefused } from "../../../core/outbound/guard/policy.ts";

/**
 * Normalises the address of a WordPress site: absolute, with its path, without a trailing slash. Looks up the host and rejects a non-public
 * one unless the operator allows it.
 * @throws 422 `fields.address`
 */
export async function readSiteAddress(sent: string): Promise<string> {
  try {
    const url = readUrl("website", sent.trim());
    if (url.search !== "") throw invalid({ address: "errors.invalid_url" });
    await checkSaved("website", url.href);
    return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  } catch (error) {
    if (error instanceof OutboundRefused) throw invalid({ address: "errors.invalid_url" });
    throw error;
  }
}

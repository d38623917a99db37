import { invalid } from "../../../core/declare/errors.ts";
import { checkSaved } from "../../../core/outbound/call.ts";
import { readUrl } from "../../../core/outbound/guard/addressing.ts";
import { OutboundRefused } from "../../../core/outbound/guard/policy.ts";

/**
 * The address of a WordPress site as it is stored: absolute, its folder kept, without a slash at the end. Its host is looked up: one that is
 * not public, and not opened by the operator, is refused.
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

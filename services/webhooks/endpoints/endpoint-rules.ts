import { isWebhookEvent } from "../../../core/declare/record-events.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { checkSaved } from "../../../core/outbound/call.ts";
import { OutboundRefused } from "../../../core/outbound/guard/policy.ts";

/**
 * The event types an endpoint chooses, without duplicates.
 * @throws 422 on `events` for one that no module declares, or that webhooks do not send
 */
export function chosenEvents(sent: readonly string[]): string[] {
  if (!sent.every(isWebhookEvent)) throw invalid({ events: "errors.webhook_unknown_event" });
  return [...new Set(sent)];
}

/**
 * Requires an http or https address whose host resolves only to public addresses (conventions §17). A DNS failure refuses nothing. Every
 * delivery checks the address again.
 * @throws 422 on `url`
 */
export async function requirePublic(url: string): Promise<void> {
  try {
    await checkSaved("webhook", url);
  } catch (error) {
    if (error instanceof OutboundRefused)
      throw invalid({ url: error.reason === "private" ? "errors.webhook_private_target" : "errors.invalid_url" });
    throw error;
  }
}

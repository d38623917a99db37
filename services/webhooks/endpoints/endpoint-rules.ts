import { invalid } from "../../../core/declare/errors.ts";
import { isWebhookEvent } from "../../../core/declare/record-events.ts";
import { checkSaved } from "../../../core/outbound/call.ts";
import { OutboundRefused } from "../../../core/outbound/guard/policy.ts";

/** Why the proof of selections has nothing to look at here. */
export const UNRESTRICTED =
  "events of every client are sent, so a restricted caller is refused (conventions §5); test/api/webhooks/webhook-endpoints.test.ts shows it";

/**
 * The types of events an endpoint wants, each once.
 * @throws 422 on `events` for one that no module declares, or that webhooks do not send
 */
export function chosenEvents(sent: readonly string[]): string[] {
  if (!sent.every(isWebhookEvent)) throw invalid({ events: "errors.webhook_unknown_event" });
  return [...new Set(sent)];
}

/**
 * Checks where an endpoint lies: an http or https address whose host resolves to public addresses alone (conventions §17). Name servers that
 * give no answer refuse nothing. Checked again whenever something is sent there.
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

import { Webhook } from "standardwebhooks";
import { KantoorError } from "./errors.ts";

/** The request is not a webhook of this endpoint: unsigned, signed with another secret, changed, or older than five minutes. Answer 400. */
export class WebhookError extends KantoorError {
  override name = "WebhookError";
}

/** Headers of a request, as `fetch`, Node.js and the usual servers have them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const NAMES = ["webhook-id", "webhook-timestamp", "webhook-signature"];

function textsOf(headers: WebhookHeaders): Record<string, string> {
  const entries: [string, unknown][] = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const kept = entries.map(([name, value]) => [name.toLowerCase(), value]).filter(([name]) => NAMES.includes(name as string));
  return Object.fromEntries(kept.map(([name, value]) => [name, Array.isArray(value) ? value[0] : value])) as Record<
    string,
    string
  >;
}

/**
 * The message of a webhook, once its signature is verified.
 * @param body the body exactly as it arrived, before anything parses it
 * @param secret what `webhooks.endpoints.create` returned: `whsec_…`
 * @throws WebhookError
 */
export function verifyWebhook(body: string | Uint8Array, headers: WebhookHeaders, secret: string): unknown {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  try {
    return new Webhook(secret).verify(text, textsOf(headers));
  } catch (error) {
    throw new WebhookError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

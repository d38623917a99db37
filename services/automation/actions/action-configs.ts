import { automationCall } from "../../../core/declare/automation.ts";
import { flag, multiline, optional, Type, uuid } from "../../../core/declare/schema.ts";

/** What `notification.send` takes: what is said, and to whom. */
export const NotifyConfig = Type.Object({
  message: multiline(2000, { pattern: "\\S" }),
  user_ids: Type.Array(uuid(), { minItems: 1, maxItems: 200 }),
});
export const NotifyCall = automationCall(NotifyConfig);

/** What `webhook.post` takes; `confirm` has the other side say that it took it. */
export const WebhookConfig = Type.Object({
  url: Type.String({ pattern: "^[hH][tT][tT][pP][sS]?://" }),
  confirm: optional(flag(false)),
});
export const WebhookCall = automationCall(WebhookConfig);

const HTTP = /^https?:\/\//i;

/** What is wrong with the address of a webhook already when it is saved (platform chapter §2.2); whether it may be called is asked then. */
export const refusedWebhook = ({ url }: Readonly<Record<string, unknown>>): string | null =>
  typeof url === "string" && HTTP.test(url) ? null : "errors.automation_webhook_invalid_url";

import { automationCall } from "../../../core/declare/automation.ts";
import { flag, multiline, optional, Type, uuid } from "../../../core/declare/schema.ts";

/** The configuration of `notification.send`: a message and its recipients. */
export const NotifyConfig = Type.Object({
  message: multiline(2000, { pattern: "\\S" }),
  user_ids: Type.Array(uuid(), { minItems: 1, maxItems: 200 }),
});
export const NotifyCall = automationCall(NotifyConfig);

/** The configuration of `webhook.post`; `confirm` requires the receiver to confirm acceptance. */
export const WebhookConfig = Type.Object({
  url: Type.String({ pattern: "^[hH][tT][tT][pP][sS]?://" }),
  confirm: optional(flag(false)),
});
export const WebhookCall = automationCall(WebhookConfig);

const HTTP = /^https?:\/\//i;

/** The error of a webhook's URL at saving (platform chapter §2.2); whether the target is allowed is checked when it is called. */
export const refusedWebhook = ({ url }: Readonly<Record<string, unknown>>): string | null =>
  typeof url === "string" && HTTP.test(url) ? null : "errors.automation_webhook_invalid_url";

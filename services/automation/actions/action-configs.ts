import { actionConfig, automationCall, type RefusedConfig } from "../../../core/declare/automation.ts";
import { flag, multiline, optional, Type, uuid } from "../../../core/schema/schema.ts";

/** The configuration of `notification.send`: a message and its recipients. */
export const NotifyConfig = actionConfig(
  "notification.send",
  "Notifies people in the application about the record that triggered the rule.",
  {
    message: multiline(2000, { pattern: "\\S" }),
    user_ids: Type.Array(uuid(), { minItems: 1, maxItems: 200 }),
  },
  {
    texts: {
      message: "The text, not blank",
      user_ids: "Accounts of the recipients, 1 to 200 members of the organisation",
    },
    example: { message: "Een taak met spoed is afgerond.", user_ids: ["7d9a1f30-0c1e-4a5b-8d2f-7d9a1f300001"] },
  },
);
export const NotifyCall = automationCall(NotifyConfig);

/** The configuration of `webhook.post`; `confirm` requires the receiver to confirm acceptance. */
export const WebhookConfig = actionConfig(
  "webhook.post",
  "Posts `{event, entity_type, entity_id, payload}` as JSON to another system, unsigned. A message whose answer was lost is sent again with the same header `webhook-id`.",
  {
    url: Type.String({ pattern: "^[hH][tT][tT][pP][sS]?://" }),
    confirm: optional(flag(false)),
  },
  {
    texts: {
      url: "Target, an `http://` or `https://` address. The action fails on a private address when it runs",
      confirm: 'Whether a status other than 2xx, or the answer `{"ok": false}`, counts as a failure',
    },
    example: { url: "https://hooks.example.com/kantoor", confirm: true },
  },
);
export const WebhookCall = automationCall(WebhookConfig);

const HTTP = /^https?:\/\//i;

/** Validates a webhook's URL at saving (platform chapter §2.2); whether the target is allowed is checked when it is called. */
export const refusedWebhook = ({ url }: Readonly<Record<string, unknown>>): RefusedConfig | null =>
  typeof url === "string" && HTTP.test(url)
    ? null
    : { field: "url", error: "errors.automation_webhook_invalid_url", expected: "uri" };

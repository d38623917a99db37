import type { ErrorTexts } from "../../core/declare/module.ts";

/** Keys that `fields` of an answer can carry. */
export const webhookFieldTexts = {
  "errors.webhook_private_target": [
    "The address leads into the service's own network.",
    "Use a public address, or ask the operator to allow the range with `SERVICE_OUTBOUND_ALLOWED_RANGES`.",
  ],
  "errors.webhook_unknown_event": ["`events` has a type that no event has.", "Use the types of `GET /webhooks/events`."],
} satisfies ErrorTexts;

import { answer, choice, instant, integer, nullable, Type, uuid } from "../../../core/declare/schema.ts";
import { DELIVERY_STATUSES } from "../models.ts";

const shown = {
  id: uuid(),
  endpoint_id: uuid(),
  event: Type.String(),
  event_id: uuid(),
  entity_type: Type.String(),
  entity_id: uuid(),
  status: choice(DELIVERY_STATUSES),
  attempts: integer(0),
  next_attempt_at: nullable(instant()),
  last_attempt_at: nullable(instant()),
  response_status: nullable(Type.Integer()),
  response_body: nullable(Type.String()),
  error: nullable(Type.String()),
  created_at: instant(),
  updated_at: instant(),
};

/** A delivery, with the beginning of what the receiver last answered. `attempts` counts those of replays too. */
export const WebhookDeliveryRead = answer("WebhookDeliveryRead", shown);

const WebhookAttempt = answer("WebhookAttempt", {
  at: { ...instant(), description: "When the attempt was made, UTC" },
  response_status: nullable(Type.Integer({ description: "HTTP status of the answer; null without an answer" })),
  response_body: nullable(
    Type.String({ description: "The beginning of the answer, at most 1,024 bytes; null without an answer" }),
  ),
  error: nullable(Type.String({ description: "Why there was no answer; null where there was one" })),
});

/** One delivery with what was sent and every attempt to send it. */
export const WebhookDeliveryDetail = answer("WebhookDeliveryDetail", {
  ...shown,
  message_id: Type.String({ description: "The `webhook-id` header, the same at every attempt and replay" }),
  request_body: Type.String({ description: "The body as it is sent and signed: JSON text" }),
  attempt_log: Type.Array(WebhookAttempt, { description: "Every attempt, the first one first, those of replays included" }),
});

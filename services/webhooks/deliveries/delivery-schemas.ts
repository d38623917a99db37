import { answer, choice, field, instant, integer, nullable, Type, uuid } from "../../../core/schema/schema.ts";
import { DELIVERY_STATUSES } from "../models.ts";

const shown = {
  id: uuid(),
  endpoint_id: field(uuid(), "The endpoint it goes to, which may have been deleted since"),
  event: Type.String({ description: "Name of the event" }),
  event_id: field(uuid(), "The event, the same for all its deliveries"),
  entity_type: Type.String({ description: "Kind of the record that the event is about" }),
  entity_id: field(uuid(), "That record"),
  status: field(
    choice(DELIVERY_STATUSES),
    "`pending` until the receiver accepted it, then `delivered`; `failed` when no attempts are left",
  ),
  attempts: field(integer(0), "Attempts so far, those of replays included"),
  next_attempt_at: field(nullable(instant()), "When it is tried next, UTC; null when it is not"),
  last_attempt_at: field(nullable(instant()), "When it was last tried, UTC; null before the first attempt"),
  response_status: nullable(Type.Integer({ description: "HTTP status of the last answer; null without an answer" })),
  response_body: nullable(
    Type.String({ description: "The beginning of that answer, at most 1,024 bytes; null without an answer" }),
  ),
  error: nullable(Type.String({ description: "Why the last attempt got no answer; null if it got one" })),
  created_at: instant(),
  updated_at: instant(),
};

/** A delivery, with the beginning of the receiver's last response. `attempts` includes those of replays. */
export const WebhookDeliveryRead = answer("WebhookDeliveryRead", shown);

const WebhookAttempt = answer("WebhookAttempt", {
  at: { ...instant(), description: "When the attempt was made, UTC" },
  response_status: nullable(Type.Integer({ description: "HTTP status of the answer; null without an answer" })),
  response_body: nullable(
    Type.String({ description: "The beginning of the answer, at most 1,024 bytes; null without an answer" }),
  ),
  error: nullable(Type.String({ description: "Why there was no answer; null if there was one" })),
});

/** One delivery with its request body and all attempts. */
export const WebhookDeliveryDetail = answer("WebhookDeliveryDetail", {
  ...shown,
  message_id: Type.String({ description: "The `webhook-id` header, the same at every attempt and replay" }),
  request_body: Type.String({ description: "The body as it is sent and signed: JSON text" }),
  attempt_log: Type.Array(WebhookAttempt, { description: "Every attempt, the first one first, those of replays included" }),
});

import { answer, choice, instant, integer, nullable, Type, uuid } from "../../../core/declare/schema.ts";
import { DELIVERY_STATUSES } from "../models.ts";

/** A delivery, with the beginning of what the receiver last answered. */
export const WebhookDeliveryRead = answer("WebhookDeliveryRead", {
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
});

import { RECIPIENTS } from "../../../core/declare/events.ts";
import type { WebhookDeliveryRow } from "../models.ts";

/** The fields of a delivery that its message contains. */
export type DeliveredEvent = Pick<
  WebhookDeliveryRow,
  "event_id" | "event" | "entity_type" | "entity_id" | "payload" | "actor_account_id" | "request_id" | "created_at"
>;

/** The message's id: the same at every attempt and replay, so that a receiver recognises duplicates. */
export const messageId = ({ endpoint_id, event_id }: Pick<WebhookDeliveryRow, "endpoint_id" | "event_id">): string =>
  `${event_id}_${endpoint_id}`;

/**
 * The body of a message: `type`, `timestamp` (ISO 8601, UTC) and `data`, the event as `/api/events.json` describes it, without its
 * recipients (platform §5.9).
 * @returns JSON text, the same for the same delivery
 */
export function messageBody(event: DeliveredEvent): string {
  const occurred_at = new Date(event.created_at).toISOString();
  const { [RECIPIENTS]: _recipients, ...payload } = event.payload as Readonly<Record<string, unknown>>;
  return JSON.stringify({
    type: event.event,
    timestamp: occurred_at,
    data: {
      id: event.event_id,
      name: event.event,
      entity_type: event.entity_type,
      entity_id: event.entity_id,
      payload,
      actor_account_id: event.actor_account_id,
      request_id: event.request_id,
      occurred_at,
    },
  });
}

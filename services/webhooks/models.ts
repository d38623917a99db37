import { column, type RowOf, tenantModel } from "../../core/database/model.ts";
import { namedValues } from "../../core/naming/named-values.ts";

const { boolean, instant, integer, json, sealed, text, texts, uuid } = column;

/** Why the service disabled an endpoint: it returned 410, or failed for three days. */
export type DisabledReason = "gone" | "failing";
export const DELIVERY_STATUSES = namedValues("WebhookDeliveryStatus", ["pending", "delivered", "failed"]);

/** An endpoint to which an organisation's events are sent. */
export const WebhookEndpoint = tenantModel("webhook_endpoints", {
  name: text().tracked(),
  // Not in the trail: an address may contain a token of the receiver.
  url: text(),
  events: texts().tracked(),
  enabled: boolean().withDefault().tracked(),
  disabled_reason: text<DisabledReason>().orNull(),
  disabled_at: instant().orNull(),
  secret: sealed(),
  previous_secret: sealed().orNull(),
  previous_secret_until: instant().orNull(),
  failing_since: instant().orNull(),
  last_success_at: instant().orNull(),
});
export type WebhookEndpointRow = RowOf<typeof WebhookEndpoint>;

/** The outcome of one attempt, as stored and returned. */
export interface StoredAttempt {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error: string | null;
}

/** The delivery of one event to one endpoint. */
export const WebhookDelivery = tenantModel("webhook_deliveries", {
  seq: column.bigint().byDatabase(),
  endpoint_id: uuid(),
  event_id: uuid(),
  event: text(),
  entity_type: text(),
  entity_id: uuid(),
  payload: json(),
  actor_account_id: uuid().orNull(),
  request_id: text().orNull(),
  traceparent: text().orNull(),
  status: text<(typeof DELIVERY_STATUSES)[number]>().withDefault(),
  attempts: integer().withDefault(),
  round_began: integer().withDefault(),
  attempt_log: json<readonly StoredAttempt[]>().withDefault(),
  next_attempt_at: instant().orNull(),
  last_attempt_at: instant().orNull(),
  response_status: integer().orNull(),
  response_body: text().orNull(),
  error: text().orNull(),
});
export type WebhookDeliveryRow = RowOf<typeof WebhookDelivery>;

import { inSpan } from "../../../core/tracing/tracing.ts";
import type { WebhookDeliveryRow } from "../models.ts";
import type { Attempt } from "./sending.ts";

type Traced = Pick<
  WebhookDeliveryRow,
  "traceparent" | "event" | "endpoint_id" | "event_id" | "organisation_id" | "attempts" | "round_began"
>;

/**
 * Sends a delivery in a span of the trace that its event belongs to, since one job sends the events of many requests. The endpoint's address
 * can contain a token of the receiver, so the span has the endpoint's id alone.
 */
export const inDeliverySpan = (delivery: Traced, send: () => Promise<Attempt>): Promise<Attempt> =>
  inSpan(
    {
      name: "POST webhook",
      kind: "client",
      parent: delivery.traceparent,
      attributes: {
        "http.request.method": "POST",
        "http.request.resend_count": delivery.attempts - delivery.round_began || undefined,
        "messaging.message.id": delivery.event_id,
        "kantoor.event": delivery.event,
        "kantoor.webhook.endpoint.id": delivery.endpoint_id,
        "kantoor.organisation.id": delivery.organisation_id,
      },
    },
    async (span) => {
      const attempt = await send();
      const { status } = attempt;
      span.note({ "http.response.status_code": status ?? undefined });
      if (status === null) span.fail("unreachable");
      else if (status >= 400) span.fail(String(status));
      return attempt;
    },
  );

import { type EventKind, eventSchema } from "../../../core/declare/events.ts";
import { instant } from "../../../core/schema/schema.ts";
import type { Components, JsonSchema } from "./openapi-components.ts";
import { exampleOf } from "./openapi-examples.ts";
import { idOfName } from "./operation-names.ts";

const HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;

interface Envelope {
  required: string[];
  properties: Record<string, unknown>;
}

/** The schema of an event: the shared envelope, and this event's name and payload. */
function dataOf(name: string, kind: EventKind, shared: Components): object {
  const { required, properties } = eventSchema(name, kind) as Envelope;
  const { name: own, payload, ...common } = properties;
  const base = {
    $id: "WebhookMessageData",
    type: "object",
    description: "An event as webhooks send it; `name` and `payload` are described with each event.",
    required,
    properties: common,
  };
  return {
    allOf: [
      shared.schema(base),
      { type: "object", required: ["name", "payload"], properties: { name: own, payload: shared.schema(payload) } },
    ],
    description: "The event.",
  };
}

/** The body of an event's message. */
const bodyOf = (name: string, kind: EventKind, shared: Components): JsonSchema => ({
  type: "object",
  required: ["type", "timestamp", "data"],
  properties: {
    type: { const: name, description: "The kind of event" },
    timestamp: { ...(shared.schema(instant()) as JsonSchema), description: "When the event happened, UTC" },
    data: dataOf(name, kind, shared),
  },
});

/** An example of an event's message. */
const messageOf = (name: string, kind: EventKind): object => ({
  type: name,
  timestamp: exampleOf(instant()),
  data: exampleOf(eventSchema(name, kind)),
});

/**
 * The `webhooks` of a document (OpenAPI 3.1): the request the service sends to an endpoint for each event.
 * @param kinds the events an endpoint may subscribe to, by name
 */
export function webhooksOf(kinds: Readonly<Record<string, EventKind>>, shared: Components): Record<string, object> {
  const made = Object.entries(kinds)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, kind]) => {
      const post = {
        // Of two names that differ in a separator alone, the one with an underscore is for rules as well.
        operationId: idOfName(
          name.replaceAll("_", ".") in kinds && name.includes("_") ? `webhook.rules.${name}` : `webhook.${name}`,
        ),
        tags: ["webhooks"],
        summary: name,
        description: kind.about,
        security: [],
        parameters: HEADERS.map((header) => shared.parameter(header)),
        requestBody: {
          required: true,
          content: { "application/json": { schema: bodyOf(name, kind, shared), example: messageOf(name, kind) } },
        },
        responses: {
          "2XX": shared.response("WebhookAccepted", () => ({
            description: "The receiver accepts the message. Any other answer, or none within ten seconds, leads to a retry.",
          })),
          410: shared.response("WebhookGone", () => ({ description: "The receiver is gone: the endpoint is disabled at once." })),
        },
      };
      return [name, { post }] as const;
    });
  return Object.fromEntries(made);
}

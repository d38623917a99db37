import { schemaName } from "../../../core/declare/automation.ts";
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
function dataOf(name: string, kind: EventKind): object {
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
    allOf: [base, { type: "object", required: ["name", "payload"], properties: { name: own, payload } }],
    description: "The event.",
  };
}

/** The tag of the webhooks, apart from that of the endpoints for their administration. */
export const MESSAGES = "webhook-messages";

/** Words of an event's own names. Of two events that differ in a separator alone, the one with an underscore is for rules as well. */
const wordsOf = (name: string, kinds: Readonly<Record<string, EventKind>>): string =>
  name.includes("_") && name.replaceAll("_", ".") in kinds ? `rules.${name}` : name;

/** The body of an event's message, as a schema with a name. */
const bodyOf = (name: string, kind: EventKind, id: string): JsonSchema => ({
  $id: id,
  type: "object",
  description: kind.about,
  required: ["type", "timestamp", "data"],
  properties: {
    type: { const: name, description: "The kind of event" },
    timestamp: { ...instant(), description: "When the event happened, UTC" },
    data: dataOf(name, kind),
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
      const words = wordsOf(name, kinds);
      const id = `${schemaName(words)}Message`;
      const post = {
        operationId: idOfName(`webhook.${words}`),
        tags: [MESSAGES],
        summary: name,
        description: kind.about,
        security: [],
        parameters: HEADERS.map((header) => shared.parameter(header)),
        requestBody: {
          required: true,
          content: { "application/json": { schema: shared.schema(bodyOf(name, kind, id)), example: messageOf(name, kind) } },
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

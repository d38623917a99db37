import { namedValues } from "../../../core/naming/named-values.ts";
import { described } from "../../../core/schema/fields.ts";
import {
  answer,
  choice,
  field,
  flag,
  input,
  instant,
  label,
  line,
  list,
  neverNull,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";

const LONGEST_NAME = 200;
const LONGEST_URL = 2000;

const ENDPOINT = {
  name: "Name of the endpoint",
  url: "Address that events are posted to. Addresses that lead into private networks are refused unless the operator allows them",
  events: "Names of the events it is sent, from `GET /webhooks/events`; sent in a change, they replace the list",
  enabled: "Whether events are recorded and sent; switching it on again sends what waits",
  disabled_reason:
    "Why the service switched it off: `gone` after the answer 410, `failing` after three days without a success; null otherwise",
  disabled_at: "When the service switched it off, UTC; null otherwise",
  failing_since: "Since when no attempt has succeeded, UTC; null while it works",
  last_success_at: "When the receiver last accepted an event, UTC; null if never",
  previous_secret_until:
    "Until when deliveries are signed with the previous secret too, UTC: 24 hours from its replacement; null without one",
  secret: "Secret that deliveries are signed with (Standard Webhooks); no other answer shows it",
};

const shown = described(
  {
    id: uuid(),
    name: Type.String(),
    url: Type.String(),
    events: list(Type.String()),
    enabled: flag(),
    disabled_reason: nullable(choice(namedValues("EndpointDisabledReason", ["gone", "failing"]))),
    disabled_at: nullable(instant()),
    failing_since: nullable(instant()),
    last_success_at: nullable(instant()),
    previous_secret_until: nullable(instant()),
    created_at: instant(),
    updated_at: instant(),
  },
  ENDPOINT,
);

/** An endpoint. `disabled_reason` is set if the service itself disabled it. */
export const WebhookEndpointRead = answer("WebhookEndpointRead", shown);

/** An endpoint with its new signing secret, which no other response contains. */
export const WebhookEndpointSecret = answer("WebhookEndpointSecret", { ...shown, secret: Type.String() }, ENDPOINT);

const events = () => Type.Array(line({ maxLength: 100 }), { minItems: 1, maxItems: 500 });

export const WebhookEndpointCreate = input(
  "WebhookEndpointCreate",
  {
    name: label(LONGEST_NAME),
    url: text(LONGEST_URL),
    events: events(),
    enabled: optional(flag(true)),
  },
  ENDPOINT,
);

export const WebhookEndpointUpdate = input(
  "WebhookEndpointUpdate",
  {
    name: optional(neverNull(label(LONGEST_NAME))),
    url: optional(neverNull(text(LONGEST_URL))),
    events: optional(neverNull(events())),
    enabled: optional(neverNull(flag())),
  },
  ENDPOINT,
);

/** The receiver's response to a ping: its status and the beginning of its body, or the error. */
export const WebhookPing = answer("WebhookPing", {
  ok: field(flag(), "Whether the receiver answered 200 to 299"),
  response_status: nullable(Type.Integer({ description: "HTTP status of the answer; null without an answer" })),
  response_body: nullable(
    Type.String({ description: "The beginning of the answer, at most 1,024 bytes; null without an answer" }),
  ),
  error: nullable(Type.String({ description: "Why there was no answer; null if there was one" })),
});

/** An event type that an endpoint can choose. `/api/events.json` describes its payload. */
export const WebhookEvent = answer("WebhookEvent", {
  name: Type.String({ description: "Name of the event, as endpoints choose it" }),
  description: Type.String({ description: "What has happened when the event is sent" }),
  entity_type: nullable(
    Type.String({ description: "Kind of the record that it is about; null if that differs from event to event" }),
  ),
});

import {
  answer,
  choice,
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
} from "../../../core/declare/schema.ts";

const LONGEST_NAME = 200;
const LONGEST_URL = 2000;

const shown = {
  id: uuid(),
  name: Type.String(),
  url: Type.String(),
  events: list(Type.String()),
  enabled: flag(),
  disabled_reason: nullable(choice(["gone", "failing"])),
  disabled_at: nullable(instant()),
  failing_since: nullable(instant()),
  last_success_at: nullable(instant()),
  previous_secret_until: nullable(instant()),
  created_at: instant(),
  updated_at: instant(),
};

/** An endpoint. `disabled_reason` says why the service itself switched it off. */
export const WebhookEndpointRead = answer("WebhookEndpointRead", shown);

/** An endpoint with its new signing secret, which no other answer holds. */
export const WebhookEndpointSecret = answer("WebhookEndpointSecret", { ...shown, secret: Type.String() });

const events = () => Type.Array(line({ maxLength: 100 }), { minItems: 1, maxItems: 500 });

export const WebhookEndpointCreate = input("WebhookEndpointCreate", {
  name: label(LONGEST_NAME),
  url: text(LONGEST_URL),
  events: events(),
  enabled: optional(flag(true)),
});

export const WebhookEndpointUpdate = input("WebhookEndpointUpdate", {
  name: optional(neverNull(label(LONGEST_NAME))),
  url: optional(neverNull(text(LONGEST_URL))),
  events: optional(neverNull(events())),
  enabled: optional(neverNull(flag())),
});

/** What the receiver answered to a ping: its status and the beginning of its body, or why there was no answer. */
export const WebhookPing = answer("WebhookPing", {
  ok: flag(),
  response_status: nullable(Type.Integer()),
  response_body: nullable(Type.String()),
  error: nullable(Type.String()),
});

/** A type of event that can be chosen. `/api/events.json` describes its payload. */
export const WebhookEvent = answer("WebhookEvent", {
  name: Type.String(),
  description: Type.String(),
  entity_type: nullable(Type.String()),
});

import { described as describedFields, type Texts } from "../schema/fields.ts";
import { plainSchema } from "../schema/plain-schema.ts";
import { instant, nullable, type Static, type TObject, type TProperties, Type, uuid } from "../schema/schema.ts";

/** One type of domain event: when it happens, and its payload. */
export interface EventKind<P extends TProperties = TProperties> {
  about: string;
  /** The entity type of its row, null if it can be any type; events of one row are delivered in order. */
  entity: string | null;
  payload: TObject<P>;
  /** Why only its recipients may see it; webhooks do not send it. */
  withheld?: string;
}

/**
 * One type of event, as listed in a manifest.
 * @param entity the type of record it is about, from the same module; null if it can be about any
 * @param more `withheld` for an event with facts that only one person knows; `texts` describes payload fields
 */
export const event = <P extends TProperties>(
  entity: string | null,
  about: string,
  payload: P,
  { texts, ...more }: { withheld?: string; texts?: Texts } = {},
): EventKind<P> => ({
  about,
  entity,
  payload: Type.Object(describedFields(payload, texts)),
  ...more,
});

/** The payloads of events, by name. A module adds its own: `interface EventPayloads extends PayloadsOf<typeof companyEvents> {}`. */
export interface EventPayloads {}
export type PayloadsOf<K extends Readonly<Record<string, EventKind>>> = { [E in keyof K]: Static<K[E]["payload"]> };

export type EventName = keyof EventPayloads & string;
/** The payload of this event. */
export type EventPayload<E extends EventName> = EventPayloads[E];

/** An event as subscribers receive it. */
export interface DomainEvent<E extends EventName = EventName> {
  /** The same at every delivery, so that subscribers recognise a repeated one. */
  id: string;
  name: E;
  entityType: string;
  entityId: string;
  payload: EventPayload<E>;
  /** The account that caused it; null for the system and for a service account. */
  actorAccountId: string | null;
  requestId: string | null;
  /** ISO 8601, UTC. */
  occurredAt: string;
}

/** An event of the current transaction, as hooks receive it. */
export interface RecordedEvent<E extends EventName = EventName> {
  id: string;
  name: E;
  entityType: string;
  entityId: string;
  payload: EventPayload<E>;
}

/** The changes of a record that outgoing webhooks report. */
export const RECORD_CHANGES = ["created", "updated", "deleted"] as const;
export type RecordChange = (typeof RECORD_CHANGES)[number];

/** What a trail line reports of its record: a change, or the fields that changed. */
export type ReportedChange = RecordChange | readonly string[];

/** A change of a record in the current transaction. */
export interface ChangedRecord {
  kind: string;
  id: string;
  change: RecordChange;
  /** Names of the changed fields; only for an update. */
  fields: readonly string[];
}

/**
 * A module's in-transaction hook for events. It runs once, before the commit, with a number of statements that does not grow with the
 * events.
 * @param changed the changes of records, for a module that declares `changes`
 */
export type EventHook = (recorded: readonly RecordedEvent[], changed: readonly ChangedRecord[]) => Promise<void>;

/** The events that a module's hook handles, and its loader, called when one of them first occurs. */
export interface EventHookDeclaration {
  events: readonly string[] | "all";
  /** The hook also receives changes of records whose type declares `changes`. */
  changes?: true;
  load: () => Promise<EventHook>;
}

/** The payload field with the recipients of an event. Actors of this service receive it; webhooks send the event without it. */
export const RECIPIENTS = "recipients";

/** The schema of the payload that webhooks send. */
function sentPayload({ payload }: EventKind): object {
  const { [RECIPIENTS]: _recipients, ...properties } = payload.properties;
  return { ...payload, required: (payload.required ?? []).filter((name) => name !== RECIPIENTS), properties };
}

const described = <S extends object>(schema: S, description: string) => ({ ...schema, description });

/** JSON Schema of an event in `data` of a webhook. */
export const eventSchema = (name: string, kind: EventKind) => ({
  title: name,
  description: kind.about,
  type: "object",
  required: ["id", "name", "entity_type", "entity_id", "payload", "actor_account_id", "request_id", "occurred_at"],
  properties: {
    id: described(uuid(), "The event, the same in every message and at every attempt"),
    name: { const: name, description: "The kind of event" },
    entity_type: Type.String({ description: "The kind of record it is about" }),
    entity_id: described(uuid(), "The record it is about"),
    payload: described(sentPayload(kind), "Facts of the event"),
    actor_account_id: nullable(described(uuid(), "Who caused it; null for the system and for a service account")),
    request_id: nullable(Type.String({ description: "The request that caused it, as in its `X-Request-Id`; null if none did" })),
    occurred_at: described(instant(), "When it happened, UTC"),
  },
});

/**
 * A catalogue as a document: JSON Schema (2020-12) of every event in `data` of a webhook, with its subscribers in this service.
 * @param kinds the events to describe, by name
 * @param subscribers names of subscribers by event, from the live registry
 */
export function eventsDocument(
  version: string,
  kinds: Readonly<Record<string, EventKind>>,
  subscribers: ReadonlyMap<string, readonly string[]>,
): object {
  return {
    title: "Kantoor events",
    description:
      "Recorded in the transaction of the change, delivered at least once after commit, in order per entity. Each is described as webhooks send it in `data`; actors of this service get domain events with their recipients.",
    version,
    $schema: "https://json-schema.org/draft/2020-12/schema",
    events: Object.fromEntries(
      Object.entries(kinds).map(([name, kind]) => [
        name,
        { ...plainSchema(eventSchema(name, kind)), "x-entity": kind.entity, "x-subscribers": subscribers.get(name) ?? [] },
      ]),
    ),
  };
}

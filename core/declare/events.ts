import type { ChangedRecord } from "../jobs/record-changes.ts";
import { catalogue } from "./catalogue/catalogue.ts";
import { described as describedFields, type Texts } from "./fields.ts";
import { instant, nullable, type Static, type TObject, type TProperties, Type, uuid } from "./schema.ts";

/** One kind of domain event: when it happens, and what it tells. */
export interface EventKind<P extends TProperties = TProperties> {
  about: string;
  /** The entity type of the row it is about, null for a row of whatever type; events of one row are delivered in order. */
  entity: string | null;
  payload: TObject<P>;
  /** Why only those it names may learn of it: no webhook sends it. */
  withheld?: string;
}

/**
 * One kind of event, as a manifest lists it.
 * @param entity the kind of record it is about, one of the same module; null where it may be about any
 * @param more `withheld` for one that tells of what a single person alone knows; `texts` describes fields of the payload
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

/** What events tell, by name. A module adds its own: `interface EventPayloads extends PayloadsOf<typeof companyEvents> {}`. */
export interface EventPayloads {}
export type PayloadsOf<K extends Readonly<Record<string, EventKind>>> = { [E in keyof K]: Static<K[E]["payload"]> };

export type EventName = keyof EventPayloads & string;
/** What an event of this kind tells. */
export type EventPayload<E extends EventName> = EventPayloads[E];

/** Every domain event of modules that are built, with the schema of its payload. An event that no module declares cannot be recorded. */
export const events = (): Readonly<Record<string, EventKind>> => catalogue().events;

/** An event as its subscribers get it. */
export interface DomainEvent<E extends EventName = EventName> {
  /** The same at every delivery: what makes a repeated one recognisable. */
  id: string;
  name: E;
  entityType: string;
  entityId: string;
  payload: EventPayload<E>;
  /** Who caused it; null for the system and for a service account. */
  actorAccountId: string | null;
  requestId: string | null;
  /** ISO 8601, UTC. */
  occurredAt: string;
}

/** An event of the running transaction, as those who join it are told. */
export interface RecordedEvent<E extends EventName = EventName> {
  id: string;
  name: E;
  entityType: string;
  entityId: string;
  payload: EventPayload<E>;
}

/**
 * What a module writes for the events of a transaction, once, before it commits: a number of statements that does not depend on theirs.
 * @param changed the changes of records, for a module that joins them
 */
export type EventJoin = (recorded: readonly RecordedEvent[], changed: readonly ChangedRecord[]) => Promise<void>;

/** Which events a module joins, and what loads its part when one of them first comes. */
export interface EventJoinDeclaration {
  events: readonly string[] | "all";
  /** It joins the changes of records that declare `changes` as well. */
  changes?: true;
  load: () => Promise<EventJoin>;
}

export const isEvent = (name: string): name is EventName => Object.hasOwn(events(), name);

/** The field of a payload that names whom an event is for. Actors of this service get it; webhooks send the event without it. */
export const RECIPIENTS = "recipients";

/** The payload as webhooks send it. */
function sentPayload({ payload }: EventKind): object {
  const { [RECIPIENTS]: _recipients, ...properties } = payload.properties;
  return { ...payload, required: (payload.required ?? []).filter((name) => name !== RECIPIENTS), properties };
}

const described = <S extends object>(schema: S, description: string) => ({ ...schema, description });

/** JSON Schema of an event as webhooks send it in `data`. */
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
    request_id: nullable(
      Type.String({ description: "The request that caused it, as in its `X-Request-Id`; null where none did" }),
    ),
    occurred_at: described(instant(), "When it happened, UTC"),
  },
});

/**
 * A catalogue as a document: JSON Schema (2020-12) of every event as webhooks send it in `data`, and who subscribes to it in this service.
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
        { ...eventSchema(name, kind), "x-entity": kind.entity, "x-subscribers": subscribers.get(name) ?? [] },
      ]),
    ),
  };
}

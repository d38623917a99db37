import { catalogue } from "./catalogue/catalogue.ts";
import { instant, nullable, type Static, type TObject, type TProperties, Type, uuid } from "./schema.ts";

/** One kind of domain event: when it happens, and what it tells. */
export interface EventKind<P extends TProperties = TProperties> {
  about: string;
  /** The entity type of the row it is about, null for a row of whatever type; events of one row are delivered in order. */
  entity: string | null;
  payload: TObject<P>;
}

/**
 * One kind of event, as a manifest lists it.
 * @param entity the kind of record it is about, one of the same module; null where it may be about any
 */
export const event = <P extends TProperties>(entity: string | null, about: string, payload: P): EventKind<P> => ({
  about,
  entity,
  payload: Type.Object(payload),
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

/** What a module writes for the events of a transaction, once, before it commits: a number of statements that does not depend on theirs. */
export type EventJoin = (recorded: readonly RecordedEvent[]) => Promise<void>;

/** Which events a module joins, and what loads its part when one of them first comes. */
export interface EventJoinDeclaration {
  events: readonly string[] | "all";
  load: () => Promise<EventJoin>;
}

export const isEvent = (name: string): name is EventName => Object.hasOwn(events(), name);

const envelope = (name: string, { about, payload }: EventKind) => ({
  title: name,
  description: about,
  type: "object",
  required: ["id", "name", "entityType", "entityId", "payload", "actorAccountId", "requestId", "occurredAt"],
  properties: {
    id: uuid(),
    name: { const: name },
    entityType: Type.String(),
    entityId: uuid(),
    payload,
    actorAccountId: nullable(uuid()),
    requestId: nullable(Type.String()),
    occurredAt: instant(),
  },
});

/**
 * The catalogue as a document: JSON Schema (2020-12) of every event, and who subscribes to it.
 * @param subscribers names of subscribers by event, from the live registry
 */
export function eventsDocument(version: string, subscribers: ReadonlyMap<string, readonly string[]>): object {
  return {
    title: "Kantoor domain events",
    description: "Recorded in the transaction of the change, delivered at least once after commit, in order per entity.",
    version,
    $schema: "https://json-schema.org/draft/2020-12/schema",
    events: Object.fromEntries(
      Object.entries(events()).map(([name, kind]) => [
        name,
        { ...envelope(name, kind), "x-entity": kind.entity, "x-subscribers": subscribers.get(name) ?? [] },
      ]),
    ),
  };
}

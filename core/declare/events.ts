import { choice, date, instant, list, nullable, type Static, type TObject, type TProperties, Type, uuid } from "./schema.ts";

/** One kind of domain event: when it happens, and what it tells. */
export interface EventKind<P extends TProperties = TProperties> {
  about: string;
  /** The entity type of the row it is about; events of one row are delivered in order. */
  entity: string;
  payload: TObject<P>;
}

const event = <P extends TProperties>(entity: string, about: string, payload: P): EventKind<P> => ({
  about,
  entity,
  payload: Type.Object(payload),
});

const company = { company_id: uuid(), title: Type.String() };
const recipients = list(uuid());
const leave = {
  leave_request_id: uuid(),
  user_id: uuid(),
  leave_type_id: uuid(),
  start_date: date(),
  end_date: date(),
  start_time: nullable(Type.String()),
  end_time: nullable(Type.String()),
  hours: Type.String(),
  recipients,
};
const leaveDays = {
  days: list(Type.Object({ date: date(), hours: Type.String(), reason: nullable(Type.String()) })),
};
const availability = {
  availability_id: uuid(),
  user_id: uuid(),
  kind: choice(["extra", "unavailable"]),
  date: date(),
  start_time: nullable(Type.String()),
  end_time: nullable(Type.String()),
  repeat_weeks: nullable(Type.Integer()),
  repeat_until: nullable(date()),
  pair_id: nullable(uuid()),
};
const companyStatus = choice(["lead", "onboarding", "active", "offboarding", "archived"]);

/**
 * The event catalogue: every domain event with the schema of its payload. An event that is not here cannot be recorded. A new kind is
 * one entry; whoever wants to know subscribes to it (`subscribe` of an actor).
 */
export const events = {
  "company.created": event("company", "A company was added. Recipients: its assignees.", {
    ...company,
    status: companyStatus,
    recipients,
  }),
  "company.status_changed": event("company", "The status of a company changed. Recipients: its assignees.", {
    ...company,
    status: companyStatus,
    previous_status: companyStatus,
    from: companyStatus,
    to: companyStatus,
    recipients,
  }),
  "company.assigned": event("company", "People joined the roster of a company. Recipients: only those added.", {
    ...company,
    recipients,
  }),
  "leave.requested": event("leave_request", "Leave waits for a decision. Recipients: those who may decide.", leave),
  "leave.approved": event(
    "leave_request",
    "Leave was approved, or placed as approved. Recipients: who asked, when somebody decided.",
    { ...leave, ...leaveDays },
  ),
  "leave.rejected": event("leave_request", "Leave was rejected. Recipients: who asked.", leave),
  "leave.cancelled": event("leave_request", "Approved leave was cancelled.", leave),
  "leave.updated": event("leave_request", "The window of approved leave changed in place.", { ...leave, ...leaveDays }),
  "availability.saved": event("availability", "An exception to a working week was written.", availability),
  "availability.gone": event("availability", "An exception to a working week is about to be deleted.", availability),
} as const;

export type EventName = keyof typeof events;
/** What an event of this kind tells. */
export type EventPayload<E extends EventName> = Static<(typeof events)[E]["payload"]>;

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

export const isEvent = (name: string): name is EventName => Object.hasOwn(events, name);

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
      Object.entries(events).map(([name, kind]) => [
        name,
        { ...envelope(name, kind as EventKind), "x-entity": kind.entity, "x-subscribers": subscribers.get(name) ?? [] },
      ]),
    ),
  };
}

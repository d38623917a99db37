import { grantsReading, readersOf } from "../../../core/declare/records.ts";
import { flatMapped } from "../../../core/threads/breath.ts";
import { EVENTS_OF_INTEREST, type EventOfInterest } from "../preferences/event-kinds.ts";

/** An event of the running transaction, with the fields its audience depends on. */
export interface EmittedEvent {
  readonly id: string;
  readonly name: string;
  readonly entityType: string;
  readonly entityId: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** One event in the form the audience statement takes. */
export interface Occasion {
  readonly id: string;
  readonly event_type: string;
  readonly entity_type: string;
  readonly entity_id: string;
  /** The variables of its sentence; without `recipients`. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly named: readonly string[];
  /** Accounts that are not notified: the actor, and recipients of a more specific event of the same write. */
  readonly excluded: readonly string[];
  /** Whether followers of the record are notified. */
  readonly followed: boolean;
  /** Grants any of which lets a follower read the record. */
  readonly readers: readonly string[];
  /** Whether the record's id is a person's: that person may read it without a grant at `:any`. */
  readonly is_person: boolean;
  /** Whether the record's activity stores it even without an audience. */
  readonly lasting: boolean;
  readonly immediate: boolean;
}

const recipientsOf = ({ payload }: EmittedEvent): readonly string[] => {
  const { recipients } = payload;
  return Array.isArray(recipients) ? recipients : [];
};

/** Names of events that supersede a more general event of the same record and transaction. */
const OUTDOING = new Set(Object.values(EVENTS_OF_INTEREST).flatMap(({ outdoneBy = [] }) => outdoneBy));

/** Finds the superseding events of an event's record. An import records a hundred thousand events, so each is visited once. */
function outdoingByRecord(events: readonly EmittedEvent[]): (event: EmittedEvent) => readonly EmittedEvent[] {
  const keyOf = ({ entityType, entityId }: EmittedEvent) => `${entityType} ${entityId}`;
  const byRecord = Map.groupBy(
    events.filter(({ name }) => OUTDOING.has(name)),
    keyOf,
  );
  return (event) => byRecord.get(keyOf(event)) ?? [];
}

/**
 * The transaction's events that notify people, each with its audience rules, before any database access (platform chapter §5.2). Other
 * events are left out.
 * @param actor the acting account; null for the system and for service accounts
 */
export function occasionsOf(events: readonly EmittedEvent[], actor: string | null): Occasion[] | Promise<Occasion[]> {
  const sameRecord = outdoingByRecord(events);
  return flatMapped<EmittedEvent, Occasion>(events, (event) => {
    const kind: EventOfInterest | undefined = EVENTS_OF_INTEREST[event.name];
    if (!kind) return [];
    const { immediate, reminder = false, personal = false, begins = false, outdoneBy = [], fallback = false } = kind;
    const outdoing = outdoneBy.length === 0 ? [] : sameRecord(event).filter(({ name }) => outdoneBy.includes(name));
    const { recipients, ...payload } = event.payload;
    return {
      id: event.id,
      event_type: event.name,
      entity_type: event.entityType,
      entity_id: event.entityId,
      payload,
      named: [...new Set(recipientsOf(event))],
      excluded: [...new Set([...(actor === null ? [] : [actor]), ...outdoing.flatMap(recipientsOf)])],
      followed: !personal && !begins,
      readers: personal ? [] : grantsReading(event.entityType),
      is_person: readersOf(event.entityType)?.own === "person",
      lasting: !reminder && !(fallback && outdoing.length > 0),
      immediate,
    };
  });
}

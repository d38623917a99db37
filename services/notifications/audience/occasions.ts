import { grantsReading, readersOf } from "../../../core/declare/records.ts";
import { EVENTS_OF_INTEREST, type EventOfInterest } from "../preferences/event-kinds.ts";

/** An event of the running transaction, as far as its audience depends on it. */
export interface Told {
  readonly id: string;
  readonly name: string;
  readonly entityType: string;
  readonly entityId: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** One event as the statement that finds its audience takes it. */
export interface Occasion {
  readonly id: string;
  readonly event_type: string;
  readonly entity_type: string;
  readonly entity_id: string;
  /** What the sentence about it needs; without `recipients`. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly named: readonly string[];
  /** Who hears nothing of it: the actor, and whom the same write tells something more specific. */
  readonly excluded: readonly string[];
  /** Whether those who follow the record hear of it. */
  readonly followed: boolean;
  /** Grants of which one lets a follower read the record. */
  readonly readers: readonly string[];
  /** Whether the record is a person, whose id it has: that person reads it without a grant at `:any`. */
  readonly is_person: boolean;
  /** Whether it stands in the activity of its record without any audience. */
  readonly lasting: boolean;
  readonly immediate: boolean;
}

const recipientsOf = ({ payload }: Told): readonly string[] => {
  const { recipients } = payload;
  return Array.isArray(recipients) ? recipients : [];
};

/** Names of events that say of a record more specifically what another event of the transaction says. */
const OUTDOING = new Set(Object.values(EVENTS_OF_INTEREST).flatMap(({ outdoneBy = [] }) => outdoneBy));

/** The more specific events of the record of an event. An import records a hundred thousand events: each is looked at once. */
function outdoingByRecord(told: readonly Told[]): (event: Told) => readonly Told[] {
  const keyOf = ({ entityType, entityId }: Told) => `${entityType} ${entityId}`;
  const byRecord = Map.groupBy(
    told.filter(({ name }) => OUTDOING.has(name)),
    keyOf,
  );
  return (event) => byRecord.get(keyOf(event)) ?? [];
}

/**
 * The events of a transaction that people hear of, each with what decides on its audience before the database is asked (platform chapter
 * §5.2). What is no event of interest is left out.
 * @param actor the account of who caused them; null for the system and for service accounts
 */
export function occasionsOf(told: readonly Told[], actor: string | null): Occasion[] {
  const sameRecord = outdoingByRecord(told);
  return told.flatMap((event) => {
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

import { enqueue, queryOne } from "../../../core/database/query.ts";
import type { EventHook } from "../../../core/declare/events.ts";
import { request } from "../../../core/request/context.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { flatMapped, jsonOf } from "../../../core/threads/breath.ts";
import { COMMENTS } from "../preferences/event-kinds.ts";
import { builtIn } from "../preferences/resolution.ts";
import { clockAround } from "../slots/clock.ts";
import { clockValues } from "../slots/slots.ts";
import { FOLLOWED, inboxFor, NOTE, NOTE_ALL } from "./inbox-statement.ts";
import { type EmittedEvent, type Occasion, occasionsOf } from "./occasions.ts";
import { obsoleteAfter, retire } from "./retiring.ts";

/** Whether these events may notify anyone, or make someone follow a record. Queries only if that is still unknown. */
async function mayBeHeard(occasions: readonly Occasion[], organisationId: string, actor: string | null): Promise<boolean> {
  if (occasions.some(({ named, event_type }) => named.length > 0 || COMMENTS.includes(event_type))) return true;
  const followed = occasions.filter((occasion) => occasion.followed).map(({ entity_id }) => entity_id);
  return followed.length > 0 && (await queryOne(FOLLOWED, [organisationId, [...new Set(followed)], actor])) !== undefined;
}

/** Stores the records' activity for events without an audience. @param by account and name of the actor */
async function note(occasions: readonly Occasion[], organisationId: string, by: readonly (string | null)[]): Promise<void> {
  const [first] = occasions;
  if (first === undefined) return;
  if (occasions.length > 1) {
    const lines = await flatMapped(occasions, ({ id, event_type, entity_type, entity_id, payload }) => ({
      id,
      event_type,
      entity_type,
      entity_id,
      payload,
    }));
    enqueue(NOTE_ALL, [organisationId, await jsonOf(lines), ...by]);
    return;
  }
  const { id, event_type, entity_type, entity_id, payload } = first;
  enqueue(NOTE, [id, organisationId, event_type, entity_type, entity_id, ...by, JSON.stringify(payload)]);
}

/**
 * Writes the notifications of a transaction's events within it (platform chapter §5.2). One statement, for inboxes and deliveries, however
 * many events and people; one more if events became obsolete; and first a query for followers if no event names recipients. Only that query
 * waits for an answer: the others travel with the commit.
 */
export const notifyAudience: EventHook = async (recorded) => {
  retire(obsoleteAfter(recorded as readonly EmittedEvent[]));
  const { organisation, principal } = request();
  const actor = principal?.accountId ?? null;
  const occasions = await occasionsOf(recorded as readonly EmittedEvent[], actor);
  if (occasions.length === 0) return;
  const by = [actor, principal?.name ?? null];
  if (!(await mayBeHeard(occasions, organisation.id, actor))) {
    await note(
      occasions.filter(({ lasting }) => lasting),
      organisation.id,
      by,
    );
    return;
  }
  const events = await flatMapped(occasions, ({ immediate, ...occasion }) => ({ ...occasion, built_in: builtIn(immediate) }));
  const clock = clockValues(clockAround(organisationZone(), new Date().toISOString()));
  const occurred = await jsonOf(events);
  const begins = actor !== null && occasions.some(({ event_type }) => COMMENTS.includes(event_type));
  const types = new Set(occasions.map(({ entity_type }) => entity_type));
  enqueue(inboxFor(types, begins), [organisation.id, occurred, ...by, ...clock, ...(begins ? [COMMENTS] : [])]);
};

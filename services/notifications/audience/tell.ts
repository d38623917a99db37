import { enqueue, queryOne } from "../../../core/database/query.ts";
import type { EventJoin } from "../../../core/declare/events.ts";
import { request } from "../../../core/request/context.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { COMMENTS } from "../preferences/event-kinds.ts";
import { builtIn } from "../preferences/resolution.ts";
import { clockAround } from "../slots/clock.ts";
import { clockValues } from "../slots/slots.ts";
import { DELIVERIES } from "./delivery-statement.ts";
import { FOLLOWED, INBOX, NOTE, NOTE_ALL } from "./inbox-statement.ts";
import { type Occasion, occasionsOf, type Told } from "./occasions.ts";
import { pointlessAfter, retire } from "./retiring.ts";

/** Whether anyone may hear of these events, or come to follow a record by them. It reads only where that is not known already. */
async function mayBeHeard(occasions: readonly Occasion[], organisationId: string, actor: string | null): Promise<boolean> {
  if (occasions.some(({ named, event_type }) => named.length > 0 || COMMENTS.includes(event_type))) return true;
  const followed = occasions.filter((occasion) => occasion.followed).map(({ entity_id }) => entity_id);
  return followed.length > 0 && (await queryOne(FOLLOWED, [organisationId, [...new Set(followed)], actor])) !== undefined;
}

/** Writes the activity of records, of events that nobody hears of. @param by account and name of the actor */
function note(occasions: readonly Occasion[], organisationId: string, by: readonly (string | null)[]): void {
  const [first] = occasions;
  if (first === undefined) return;
  if (occasions.length > 1) {
    const lines = occasions.map(({ id, event_type, entity_type, entity_id, payload }) => ({
      id,
      event_type,
      entity_type,
      entity_id,
      payload,
    }));
    enqueue(NOTE_ALL, [organisationId, JSON.stringify(lines), ...by]);
    return;
  }
  const { id, event_type, entity_type, entity_id, payload } = first;
  enqueue(NOTE, [id, organisationId, event_type, entity_type, entity_id, ...by, JSON.stringify(payload)]);
}

/**
 * Writes what people hear of the events of a transaction, in that transaction (platform chapter §5.2): two statements however many events
 * and people there are, one for the inboxes and one for what is to be sent, and one more where something is told no longer; before them one
 * that asks for followers, where no event names its recipients. Only that asks for an answer: the others travel with the commit.
 */
export const tell: EventJoin = async (recorded) => {
  retire(pointlessAfter(recorded as readonly Told[]));
  const { organisation, principal } = request();
  const actor = principal?.accountId ?? null;
  const occasions = occasionsOf(recorded as readonly Told[], actor);
  if (occasions.length === 0) return;
  const by = [actor, principal?.name ?? null];
  if (!(await mayBeHeard(occasions, organisation.id, actor))) {
    note(
      occasions.filter(({ lasting }) => lasting),
      organisation.id,
      by,
    );
    return;
  }
  const events = occasions.map(({ immediate, ...occasion }) => ({ ...occasion, built_in: builtIn(immediate) }));
  const clock = clockValues(clockAround(organisationZone(), new Date().toISOString()));
  const occurred = JSON.stringify(events);
  enqueue(INBOX, [organisation.id, occurred, ...by, ...clock, COMMENTS]);
  enqueue(DELIVERIES, [organisation.id, occurred, ...clock]);
};

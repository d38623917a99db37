import { enqueue } from "../../../core/database/query.ts";
import type { EventJoin } from "../../../core/declare/events.ts";
import { request } from "../../../core/request/context.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { builtIn } from "../preferences/resolution.ts";
import { clockAround } from "../slots/clock.ts";
import { clockValues } from "../slots/slots.ts";
import { COMMENTS } from "./event-kinds.ts";
import { occasionsOf, type Told } from "./occasions.ts";
import { pointlessAfter, retire } from "./retiring.ts";
import { TELL } from "./told-statement.ts";

/**
 * Writes what people hear of the events of a transaction, in that transaction (platform chapter §5.2): one statement however many events and
 * people there are, and one more where something is told no longer. Neither asks for an answer: both travel with the commit.
 */
export const tell: EventJoin = async (recorded) => {
  retire(pointlessAfter(recorded as readonly Told[]));
  const { organisation, principal } = request();
  const actor = principal?.accountId ?? null;
  const occasions = occasionsOf(recorded as readonly Told[], actor);
  if (occasions.length === 0) return;
  const events = occasions.map(({ immediate, ...occasion }) => ({ ...occasion, built_in: builtIn(immediate) }));
  const clock = clockValues(clockAround(organisationZone(), new Date().toISOString()));
  enqueue(TELL, [organisation.id, JSON.stringify(events), actor, principal?.name ?? null, ...clock, COMMENTS]);
};

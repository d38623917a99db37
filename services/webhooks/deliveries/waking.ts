import { LRUCache } from "lru-cache";
import { schedule } from "../../../core/jobs/jobs.ts";

/** The job that sends what waits for an endpoint: one at a time for each. */
export const DELIVER = "webhooks.deliver";
/** The job that has it looked at again when an attempt is due. */
export const WAKE = "webhooks.wake";

/** Schedules the sending of what waits for an endpoint, in the running transaction. */
export function deliverTo(endpointId: string): void {
  schedule(DELIVER, { endpoint_id: endpointId }, { key: endpointId, dedupe: endpointId });
}

/** Schedules a look at an endpoint for a later moment; a look that is planned already is brought forward. */
export function wakeAt(endpointId: string, runAt: Date): void {
  schedule(WAKE, { endpoint_id: endpointId }, { dedupe: endpointId, runAt });
}

/**
 * Organisations known on this node to have endpoints. Only a hint: a write of theirs has the outbox looked at at once, that of another,
 * whose endpoint was added on another node, when it is polled next.
 */
const expected = new LRUCache<string, true>({ max: 10_000 });

/** Notes that an organisation has an endpoint. */
export const expectDeliveries = (organisationId: string): void => void expected.set(organisationId, true);

/** Whether an organisation is known here to have an endpoint. */
export const isExpected = (organisationId: string): boolean => expected.has(organisationId);

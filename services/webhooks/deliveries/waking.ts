import { LRUCache } from "lru-cache";
import { schedule } from "../../../core/jobs/jobs.ts";

/** The job that sends an endpoint's pending deliveries; only one at a time per endpoint. */
export const DELIVER = "webhooks.deliver";
/** The job that starts delivery when an attempt is due. */
export const WAKE = "webhooks.wake";

/** Schedules the sending of an endpoint's pending deliveries, in the current transaction. */
export function deliverTo(endpointId: string): void {
  schedule(DELIVER, { endpoint_id: endpointId }, { key: endpointId, dedupe: endpointId });
}

/** Schedules a check of an endpoint for a later moment; moves an already planned check forward. */
export function wakeAt(endpointId: string, runAt: Date): void {
  schedule(WAKE, { endpoint_id: endpointId }, { dedupe: endpointId, runAt });
}

/**
 * Organisations known on this node to have endpoints. Only a hint: a write in one of them polls the outbox at once; deliveries of others,
 * whose endpoint was added on another node, wait for the next poll.
 */
const expected = new LRUCache<string, true>({ max: 10_000 });

/** Remembers that an organisation has an endpoint. */
export const expectDeliveries = (organisationId: string): void => void expected.set(organisationId, true);

/** Whether this node knows that an organisation has an endpoint. */
export const isExpected = (organisationId: string): boolean => expected.has(organisationId);

import { enqueue, query } from "../../../core/database/query.ts";
import type { EventHook } from "../../../core/declare/events.ts";
import { isWebhookEvent } from "../../../core/declare/record-events.ts";
import { schedulingFor } from "../../../core/jobs/jobs.ts";
import { leavesWork } from "../../../core/jobs/outbox.ts";
import { ByRevision } from "../../../core/request/by-revision.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { jsonOf } from "../../../core/threads/breath.ts";
import { tracing } from "../../../core/tracing/tracing.ts";
import { recordEventsOf } from "../../../core/trail/record-changes.ts";
import { DELIVER, isExpected } from "./waking.ts";

const CHOSEN = statement(
  "select distinct unnest(e.events) as event from webhook_endpoints e where e.organisation_id = $1 and e.enabled",
);
/** The events chosen by any enabled endpoint of an organisation. */
const known = new ByRevision<ReadonlySet<string>>();

/** The names of the events that enabled endpoints of an organisation have chosen. */
async function chosenBy(organisationId: string): Promise<ReadonlySet<string>> {
  let chosen = known.get();
  if (!chosen)
    known.keep((chosen = new Set((await query<{ event: string }>(CHOSEN, [organisationId])).map(({ event }) => event))));
  return chosen;
}

/** One delivery per event and endpoint that chose it, and one job per endpoint. */
const RECORD = schedulingFor(
  DELIVER,
  `insert into webhook_deliveries (id, organisation_id, endpoint_id, event_id, event, entity_type, entity_id, payload,
      actor_account_id, request_id, traceparent)
    select gen_random_uuid(), $1, e.id, r.id, r.name, r."entityType", r."entityId", r.payload, $3, $4, $5::text
      from webhook_endpoints e
      cross join rows from (jsonb_to_recordset($2::jsonb)
        as (id uuid, name text, "entityType" text, "entityId" uuid, payload jsonb)) with ordinality
        r (id, name, "entityType", "entityId", payload, n)
     where e.organisation_id = $1 and e.enabled and r.name = any(e.events)
     order by r.n, e.id
    returning endpoint_id`,
  "select distinct jsonb_build_object('endpoint_id', endpoint_id) as payload, endpoint_id::text as key, endpoint_id::text as dedupe from made",
  "$5::text",
);

/**
 * Stores the deliveries to the organisation's endpoints, in the transaction of the events and record changes: one statement for all of
 * them, sent with the commit; none if no endpoint chose these events.
 */
export const recordDeliveries: EventHook = async (recorded, changed) => {
  const { organisation, principal, requestId } = request();
  const chosen = await chosenBy(organisation.id);
  const events = [
    ...recorded.filter(({ name }) => chosen.has(name) && isWebhookEvent(name)),
    ...(await recordEventsOf(changed, chosen)),
  ];
  if (events.length === 0) return;
  const trace = tracing?.traceparent() ?? null;
  enqueue(RECORD, [organisation.id, await jsonOf(events), principal?.accountId ?? null, requestId, trace]);
  if (isExpected(organisation.id)) leavesWork();
};

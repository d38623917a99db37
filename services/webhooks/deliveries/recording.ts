import { enqueue } from "../../../core/database/query.ts";
import type { EventJoin } from "../../../core/declare/events.ts";
import { schedulingFor } from "../../../core/jobs/jobs.ts";
import { leavesWork } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { DELIVER, isExpected } from "./waking.ts";

/** One delivery per event and endpoint that chose it, and one job per endpoint. Where no endpoint did, it is a look at an index. */
const RECORD = schedulingFor(
  DELIVER,
  `insert into webhook_deliveries (id, organisation_id, endpoint_id, event_id, event, entity_type, entity_id, payload,
      actor_account_id, request_id)
    select gen_random_uuid(), $1, e.id, r.id, r.name, r."entityType", r."entityId", r.payload, $3, $4
      from webhook_endpoints e
      cross join rows from (jsonb_to_recordset($2::jsonb)
        as (id uuid, name text, "entityType" text, "entityId" uuid, payload jsonb)) with ordinality
        r (id, name, "entityType", "entityId", payload, n)
     where e.organisation_id = $1 and e.enabled and r.name = any(e.events)
     order by r.n, e.id
    returning endpoint_id`,
  "select distinct jsonb_build_object('endpoint_id', endpoint_id) as payload, endpoint_id::text as key, endpoint_id::text as dedupe from made",
);

/**
 * Stores what goes to the endpoints of the organisation, in the transaction of the events: one statement for all of them, sent with the
 * commit.
 */
export const recordDeliveries: EventJoin = async (recorded) => {
  const { organisation, principal, requestId } = request();
  enqueue(RECORD, [organisation.id, JSON.stringify(recorded), principal?.accountId ?? null, requestId]);
  if (isExpected(organisation.id)) leavesWork();
};

import { statement } from "../../../core/database/statement.ts";

/** Why a delivery ended that was still to be sent when its endpoint was removed. */
export const REMOVED = "errors.webhook_endpoint_removed";

/** Ends what was still to be sent to an endpoint that is removed: `$2` its id, or null for what was recorded while one was being removed. */
export const END_REMOVED =
  statement(`update webhook_deliveries d set status = 'failed', next_attempt_at = null, error = '${REMOVED}',
    version = version + 1, updated_at = statement_timestamp()
  where d.organisation_id = $1 and d.status = 'pending' and ($2::uuid is null or d.endpoint_id = $2::uuid)
    and not exists (select from webhook_endpoints e where e.organisation_id = d.organisation_id and e.id = d.endpoint_id)`);

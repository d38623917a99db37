import { statement } from "../../../core/sql/statement.ts";

/** The error of a delivery still pending when its endpoint was removed. */
export const REMOVED = "errors.webhook_endpoint_removed";

/** Fails the pending deliveries of a removed endpoint: `$2` is its id, or null for deliveries recorded during a removal. */
export const END_REMOVED =
  statement(`update webhook_deliveries d set status = 'failed', next_attempt_at = null, error = '${REMOVED}',
    version = version + 1, updated_at = statement_timestamp()
  where d.organisation_id = $1 and d.status = 'pending' and ($2::uuid is null or d.endpoint_id = $2::uuid)
    and not exists (select from webhook_endpoints e where e.organisation_id = d.organisation_id and e.id = d.endpoint_id)`);

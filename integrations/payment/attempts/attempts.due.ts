import { dueRows } from "../../../core/jobs/due-rows.ts";

/** Attempts that can still be paid, and orders that no provider answered. */
export const unsettledAttempts = dueRows(
  [
    "payment_intents",
    "r.settled_at is null and r.status not in ('failed', 'expired', 'canceled') and r.created_at > now() - interval '7 days'",
  ],
  ["payment_intents", "r.external_id is null and r.updated_at < now() - interval '1 day'"],
);

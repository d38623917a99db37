import { dueRows } from "../../core/jobs/due-rows.ts";

/** Days before a key's end that its owner gets a mail. */
export const NOTICE_DAYS = 14;

export const endingKeys = dueRows([
  "api_keys",
  `r.revoked_at is null and r.expiry_told_at is null and r.oauth_client_id is null and r.expires_at > now()
    and r.expires_at <= now() + interval '${NOTICE_DAYS} days'`,
]);

import { dueRows } from "../../../core/jobs/due-rows.ts";
import { oldRows } from "../../../core/sql/old-rows.ts";

const IS_ON = `r.status = 'active' and exists (select from workspace_settings s where s.organisation_id = o.id and s.mail_enabled)`;

/** Connections whose mailbox may be read. */
export const mailboxes = dueRows(["workspace_connections", IS_ON]);

export const polledMailboxes = dueRows(["workspace_connections", `r.mail_sync_enabled and ${IS_ON}`]);

/** Days for which skipped messages are recorded. */
const KEPT_DAYS = 60;

export const oldSkips = dueRows(["workspace_mail_skips", `r.created_at < now() - interval '${KEPT_DAYS} days'`]);
export const expiredSkips = oldRows({ table: "workspace_mail_skips", age: "r.created_at", kept: `${KEPT_DAYS} days` });

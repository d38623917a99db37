import { query } from "../../../core/database/query.ts";
import { grantsReading } from "../../../core/declare/records.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { UptimeInstanceRow } from "../models.ts";

const MANAGERS =
  statement(`select m.account_id from member_access m where m.organisation_id = $1 and m.is_live and not m.is_client
  and m.membership_id in (select members_holding($1, $2::text[]))`);

/** Notifies those who manage servers that one can no longer be read. */
export async function reportUnreachable(
  { id, name: title }: Pick<UptimeInstanceRow, "id" | "name">,
  status: "error" | "needs_reauth",
): Promise<void> {
  const managers = await query<{ account_id: string }>(MANAGERS, [request().organisation.id, grantsReading("uptime_instance")]);
  const recipients = managers.map(({ account_id }) => account_id);
  const payload = { instance_id: id, title, status, at: new Date().toISOString(), recipients };
  emit("uptime.instance.unreachable", "uptime_instance", id, payload);
}

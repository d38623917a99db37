import { columns } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { notFound, refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { KumaAddress } from "../kuma/socket.ts";
import { UptimeInstance, type UptimeInstanceRow } from "../models.ts";

const INSTANCE = statement(`select ${columns(UptimeInstance)} from uptime_instances where organisation_id = $1 and id = $2`);

/** A stored instance, if it exists. */
export const findInstance = (id: string): Promise<UptimeInstanceRow | undefined> =>
  queryOne<UptimeInstanceRow>(INSTANCE, [request().organisation.id, id]);

/** A stored instance. @throws 404 */
export async function storedInstance(id: string): Promise<UptimeInstanceRow> {
  const found = await findInstance(id);
  if (!found) throw notFound();
  return found;
}

/**
 * Rejects calls to an instance that cannot have a session (workspace-reporting §5).
 * @throws 409 `uptime_linked_instance`, `uptime_instance_inactive`, `uptime_not_enrolled`
 */
export function requireReachable(instance: UptimeInstanceRow): void {
  if (instance.mode === "linked") throw refusal("validation_error", "errors.uptime_linked_instance");
  if (!instance.active) throw refusal("validation_error", "errors.uptime_instance_inactive");
  if (unsealed(UptimeInstance, instance, "token") === null) throw refusal("validation_error", "errors.uptime_not_enrolled");
}

/** The headers of every connection to an instance; empty if they can no longer be decrypted. */
export function headersOf(instance: UptimeInstanceRow): Record<string, string> {
  const stored = unsealed(UptimeInstance, instance, "connect_headers");
  return stored === null ? {} : (JSON.parse(stored) as Record<string, string>);
}

/** The connection parameters of a managed instance. */
export const addressOf = (instance: UptimeInstanceRow, headers = headersOf(instance)): KumaAddress => ({
  account: instance.id,
  baseUrl: instance.base_url ?? "",
  sslVerify: instance.ssl_verify,
  headers,
});

import type { RemoteMonitor } from "../kuma/remote-monitor.ts";
import { withoutCredentials } from "../kuma/remote-monitor.ts";
import type { UptimeMonitorRow, UptimeProfileRow } from "../models.ts";
import { wantedOf } from "../monitors/wanted.ts";

/** The fields compared with the server. Whether a monitor is paused is not compared (workspace-reporting §5). */
export const DRIFT_FIELDS = ["name", "monitor_type", "target", "port", "interval_seconds", "retries"] as const;

/** The fields of a monitor that differ at its server; empty for an adopted monitor. @param profile null without one */
export function driftOf(row: UptimeMonitorRow, profile: UptimeProfileRow | null, remote: RemoteMonitor): string[] {
  if (row.adopted) return [];
  const wanted = wantedOf(row, profile, null);
  const there: Record<(typeof DRIFT_FIELDS)[number], unknown> = {
    name: remote.name,
    monitor_type: remote.type,
    target: remote.target,
    // A server sets a port even if none was wanted.
    port: wanted.port === null ? null : remote.port,
    interval_seconds: remote.interval,
    retries: remote.retries,
  };
  const here = { ...wanted, target: wanted.target && withoutCredentials(wanted.target) };
  return DRIFT_FIELDS.filter((field) => here[field] !== there[field]);
}

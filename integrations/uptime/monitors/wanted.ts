import type { WantedMonitor } from "../kuma/remote-monitor.ts";
import type { UptimeMonitorRow, UptimeProfileRow } from "../models.ts";
import { resolvedSettings } from "./settings.ts";

/**
 * The wanted state of a monitor at its server.
 * @param profile null without one
 * @param parent id of its group at the server; null if it is in none
 */
export function wantedOf(row: UptimeMonitorRow, profile: UptimeProfileRow | null, parent: number | null): WantedMonitor {
  const { name, monitor_type, target, port, interval_seconds, retries } = row;
  return { name, monitor_type, target, port, parent, ...resolvedSettings(profile, { interval_seconds, retries }) };
}

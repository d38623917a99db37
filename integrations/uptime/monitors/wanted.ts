import type { WantedMonitor } from "../kuma/remote-monitor.ts";
import type { UptimeMonitorRow, UptimeProfileRow } from "../models.ts";
import { resolvedSettings } from "./settings.ts";

/**
 * What a monitor is to be at its server.
 * @param profile null for a monitor without one
 * @param parent the number of its group at the server, null outside of any
 */
export function wantedOf(row: UptimeMonitorRow, profile: UptimeProfileRow | null, parent: number | null): WantedMonitor {
  const { name, monitor_type, target, port, interval_seconds, retries } = row;
  return { name, monitor_type, target, port, parent, ...resolvedSettings(profile, { interval_seconds, retries }) };
}

import { dueRows } from "../../../core/jobs/due-rows.ts";
import { oldRows } from "../../../core/sql/old-rows.ts";

/** Days for which heartbeats are stored. */
export const KEPT = 90;

/** SQL: the state of a monitor is not announced as it is. @param monitor its alias */
export const isUnsettled = (monitor: string): string =>
  `(${monitor}.flapping or ${monitor}.announced <> case when ${monitor}.outage_since is null then 'up' else 'down' end)`;

/** SQL: a server whose heartbeats can be read. */
export const IS_REACHABLE = "mode = 'managed' and active and token is not null and status <> 'needs_reauth'";

export const reachableServers = dueRows(["uptime_instances", IS_REACHABLE]);

export const unsettledMonitors = dueRows(["uptime_monitors", isUnsettled("r")]);

export const oldHeartbeats = dueRows(
  ["uptime_heartbeats", `r.at < now() - interval '${KEPT} days'`],
  ["uptime_monitors", `r.last_heartbeat_at < now() - interval '${KEPT} days'`],
);

export const expiredHeartbeats = oldRows({ table: "uptime_heartbeats", age: "r.at", kept: `${KEPT} days` });

import { defineModule } from "../../core/declare/module.ts";
import { uptimeEvents } from "./events.ts";

/** Monitors of websites on the organisation's own Uptime Kuma servers (workspace-reporting §5). */
export default defineModule({
  key: "uptime",
  kind: "integration",
  licence: "uptime",
  permissions: {
    "uptime.instance.manage": { position: 10, grants: ["admin"] },
    "uptime.monitor.read": { position: 20, grants: { admin: "any", member: "any" } },
    "uptime.monitor.write": { position: 30, grants: ["admin"] },
    "uptime.monitor.pause": { position: 40, grants: ["admin"] },
    "uptime.profile.manage": { position: 50, grants: ["admin"] },
  },
  errors: {
    400: ["validation_error errors.uptime_base_url_required"],
    409: [
      "conflict errors.uptime_group_has_children",
      "validation_error errors.uptime_instance_inactive",
      "validation_error errors.uptime_linked_instance",
      "validation_error errors.uptime_not_enrolled",
      "validation_error errors.uptime_not_pushed",
    ],
    422: ["validation errors.uptime_invalid_url", "validation errors.uptime_link_incomplete"],
    502: ["upstream errors.uptime_failed"],
  },
  events: uptimeEvents,
  records: {
    uptime_instance: { readers: { permission: "uptime.instance.manage" }, client: null, trail: true },
    uptime_profile: { readers: { permission: "uptime.profile.manage" }, client: null, trail: true },
    uptime_monitor: {
      seen: ["uptime.monitors.get", "monitor_id"],
      readers: { permission: "uptime.monitor.read", own: "row" },
      client: { table: "uptime_monitors", of: "t.company_id" },
      trail: true,
      bulk: {
        update: "uptime.monitor.write",
        delete: "uptime.monitor.write",
        load: async () => (await import("./monitors/monitor.bulk.ts")).monitorsInBulk,
      },
    },
  },
  demo: { position: 47, load: async () => (await import("./demo/demo-uptime.ts")).fillUptime },
  tables: ["uptime_heartbeats", "uptime_instances", "uptime_leases", "uptime_monitors", "uptime_profiles", "uptime_untracked"],
  // Websites show the state of their monitors (assets §4).
  shows: { uptime_monitors: ["id", "website_id", "active", "last_status"] },
  tags: { uptime: "Servers that monitor websites, their monitors and heartbeats." },
  parameters: {
    ":instance_id": "The server",
    ":monitor_id": "The monitor",
    ":profile_id": "The profile",
    ":token": "The secret of the server's webhook address",
    instance_id: "Only monitors of this server",
    profile_id: "Only monitors with this profile",
    monitor_type: "Only monitors of this type",
    sync_status: "Only monitors whose settings are in this state at their server",
    adopted: "Only monitors that were found at their server, or only others; absent for both",
  },
});

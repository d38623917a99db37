import { defineModule } from "../../core/declare/module.ts";
import { uptimeEvents } from "./events.ts";
import { uptimeFieldTexts } from "./key-texts.ts";
import { PauseConfig } from "./monitors/monitor-automation-configs.ts";

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
  errorTexts: {
    "validation_error errors.uptime_base_url_required": [
      "The service manages the server, and the request has no `base_url`.",
      "Send `base_url`.",
    ],
    "conflict errors.uptime_group_has_children": [
      "The group has monitors, so it can neither be removed nor change its type.",
      "Move or remove those monitors first.",
    ],
    "validation_error errors.uptime_instance_inactive": ["The server is inactive.", "Activate the server first."],
    "validation_error errors.uptime_linked_instance": [
      "The service does not sign in to a linked server: it only receives its notifications.",
      "Do it at the server itself, or add the server as a managed one.",
    ],
    "validation_error errors.uptime_not_enrolled": [
      "The service has no readable session at the server.",
      "Sign in with `POST /uptime/instances/{instance_id}/enrol`.",
    ],
    "validation_error errors.uptime_not_pushed": [
      "The monitor or its group does not exist at the server yet.",
      "Create it there with `POST /uptime/monitors/{monitor_id}/push`.",
    ],
    "validation errors.uptime_invalid_url": [
      "`base_url` is not an absolute web address without a query, or its host is not public and the operator does not allow it.",
      "Send the address of the server's dashboard, or ask the operator to allow the host.",
    ],
    "validation errors.uptime_link_incomplete": [
      "The request has only one of `entity_type` and `entity_id`.",
      "Send both, or neither.",
    ],
    "upstream errors.uptime_failed": [
      "The server did not respond, refused the call or the session; `details.reason` is the key of the reason.",
      "Resolve what `details.reason` names; wait for the seconds of `Retry-After` and `details.retry_after_seconds` if they are present.",
    ],
  },
  fieldTexts: uptimeFieldTexts,
  events: uptimeEvents,
  automation: {
    entities: { uptime_monitor: async () => (await import("./models.ts")).monitorFacts },
    triggers: {
      "uptime.monitor_down": {
        position: 310,
        payload: ["id", "title", "target", "company_id", "website_id", "status", "from", "to", "at", "message"],
      },
      "uptime.monitor_up": {
        position: 320,
        payload: ["id", "title", "target", "company_id", "website_id", "status", "from", "to", "at", "down_since", "minutes"],
      },
    },
    actions: {
      "uptime.pause": {
        position: 120,
        config: PauseConfig,
        call: "uptime.automation.pause",
        permission: "uptime.monitor.pause",
      },
    },
  },
  records: {
    uptime_instance: {
      copied: { list: "uptime.instances.list", table: "uptime_instances" },
      readers: { permission: "uptime.instance.manage" },
      client: null,
      trail: true,
    },
    uptime_profile: {
      copied: { list: "uptime.profiles.list", table: "uptime_profiles", permission: "uptime.monitor.read" },
      readers: { permission: "uptime.profile.manage" },
      client: null,
      trail: true,
    },
    uptime_monitor: {
      copied: { list: "uptime.monitors.list", table: "uptime_monitors", needs: "uptime.monitor.read:any" },
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
  reportSections: {
    "uptime.availability": {
      position: 85,
      audience: "both",
      title: { nl: "Bereikbaarheid van de website", en: "Availability of the website" },
      source: "uptime",
      load: async () => (await import("./report-sections/availability.ts")).gatherAvailability,
    },
  },
  demo: { position: 47, load: async () => (await import("./demo/demo-uptime.ts")).fillUptime },
  tables: [
    "uptime_heartbeats",
    "uptime_incidents",
    "uptime_instances",
    "uptime_leases",
    "uptime_monitors",
    "uptime_profiles",
    "uptime_untracked",
  ],
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

import { column, model, type RowOf, tenantModel } from "../../core/database/model.ts";
import type { AutomationEntity } from "../../core/declare/automation.ts";
import { notFound, refusal } from "../../core/errors/errors.ts";
import { namedValues } from "../../core/naming/named-values.ts";
import { syncColumns } from "../../mixins/account-sync/account-sync.ts";
import type { MonitorIdentity } from "./kuma/remote-monitor.ts";

const { boolean, instant, instants, integer, json, sealed, text, texts, uuid } = column;

/** `managed`: this service signs in at the server. `linked`: the server only posts to the webhook. */
export type InstanceMode = "managed" | "linked";
/** `pending`: nothing received yet. `needs_reauth`: the server refused the stored token. */
export type InstanceStatus = "pending" | "active" | "error" | "needs_reauth";

const duplicateName = () => refusal("conflict", "errors.conflict", { fields: { name: "errors.duplicate" } });

/** A self-hosted Uptime Kuma server, with its sealed credentials. */
export const UptimeInstance = tenantModel("uptime_instances", {
  name: text().tracked(),
  mode: text<InstanceMode>(),
  base_url: text().orNull().tracked(),
  ssl_verify: boolean().withDefault().tracked(),
  active: boolean().withDefault().tracked(),
  status: text<InstanceStatus>().withDefault(),
  server_version: text().orNull(),
  token: sealed().orNull(),
  // A JSON object of header names and values.
  connect_headers: sealed().orNull(),
  hook_secret: sealed(),
  enrolled_at: instant().orNull(),
  last_error: text().orNull(),
  last_synced_at: instant().orNull(),
  heartbeats_read_at: instant().orNull(),
  ...syncColumns,
}).whenViolated({
  uptime_instances_name_key: duplicateName,
});
export type UptimeInstanceRow = RowOf<typeof UptimeInstance>;

/** Settings for monitors; null uses the built-in value. */
export const UptimeProfile = tenantModel("uptime_profiles", {
  name: text().tracked(),
  interval_seconds: integer().orNull().tracked(),
  retries: integer().orNull().tracked(),
  retry_interval_seconds: integer().orNull().tracked(),
  resend_interval: integer().orNull().tracked(),
  timeout_seconds: integer().orNull().tracked(),
  method: text().orNull().tracked(),
  accepted_statuses: texts().orNull(),
  max_redirects: integer().orNull().tracked(),
  expiry_notification: boolean().orNull().tracked(),
}).whenViolated({
  uptime_profiles_name_key: duplicateName,
});
export type UptimeProfileRow = RowOf<typeof UptimeProfile>;

export const STATUSES = namedValues("UptimeStatus", ["down", "pending", "maintenance", "up"]);
/** The statuses of heartbeats, worst first. */
export type HeartbeatStatus = (typeof STATUSES)[number];
/** What of a monitor was last announced: that it is up, down, or changes too often to announce each change. */
export type Announced = "up" | "down" | "flapping";
export type SyncStatus = "pending" | "active" | "drift" | "missing" | "error";

/** The wanted state of a monitor; `drift_fields` lists the differences at the server. */
export const UptimeMonitor = tenantModel("uptime_monitors", {
  instance_id: uuid(),
  remote_id: integer().orNull(),
  name: text().tracked(),
  monitor_type: text().tracked(),
  target: text().orNull().tracked(),
  port: integer().orNull().tracked(),
  // Null uses the profile's value, else the built-in one.
  interval_seconds: integer().orNull().tracked(),
  retries: integer().orNull().tracked(),
  parent_id: uuid().orNull().tracked(),
  profile_id: uuid().orNull().tracked(),
  website_id: uuid().orNull().tracked(),
  domain_id: uuid().orNull().tracked(),
  hosting_id: uuid().orNull().tracked(),
  // Unless given, the database derives it from the website, domain or hosting.
  company_id: uuid().orNull().tracked(),
  company_given: boolean().withDefault(),
  active: boolean().withDefault().tracked(),
  /** When a rule's pause ends. Null while active, and for a pause without an end. */
  paused_until: instant().orNull(),
  sync_status: text<SyncStatus>().withDefault(),
  drift_fields: texts().withDefault(),
  unpushed: texts().withDefault(),
  /** Earlier names, types and targets of a monitor without a `remote_id`: an unanswered attempt may have created it under them. */
  former: json<readonly MonitorIdentity[]>().withDefault(),
  adopted: boolean().withDefault(),
  host_names: texts().withDefault(),
  last_status: text<HeartbeatStatus>().orNull(),
  last_status_since: instant().orNull(),
  last_heartbeat_at: instant().orNull(),
  last_error: text().orNull(),
  last_synced_at: instant().orNull(),
  outage_since: instant().orNull(),
  /** The newest changes between down and up, at most six, oldest first. */
  turns: instants().withDefault(),
  flapping: boolean().withDefault(),
  announced: text<Announced>().withDefault(),
}).whenViolated({
  uptime_monitors_remote_key: () => refusal("conflict", "errors.conflict", { fields: { remote_id: "errors.duplicate" } }),
  // A row that is deleted between the check and the write is not found either.
  uptime_monitors_instance_fkey: notFound,
  uptime_monitors_company_fkey: notFound,
  uptime_monitors_website_fkey: notFound,
  uptime_monitors_domain_fkey: notFound,
  uptime_monitors_hosting_fkey: notFound,
});
export type UptimeMonitorRow = RowOf<typeof UptimeMonitor>;

/** The fields of a monitor in automation rules. */
export const monitorFacts: AutomationEntity = { model: UptimeMonitor };

/** A stored heartbeat of a monitor. Rows are immutable. */
export const UptimeHeartbeat = model("uptime_heartbeats", {
  id: uuid().withDefault(),
  organisation_id: uuid().byPlatform(),
  created_at: instant().withDefault(),
  monitor_id: uuid(),
  status: text<HeartbeatStatus>(),
  at: instant(),
  ping_ms: integer().orNull(),
  message: text().orNull(),
});

/** An outage of a monitor: from a down to the next up. */
export const UptimeIncident = tenantModel("uptime_incidents", {
  monitor_id: uuid(),
  started_at: instant(),
  ended_at: instant().orNull(),
});

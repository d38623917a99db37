import { namedValues } from "../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  field,
  flag,
  input,
  instant,
  integer,
  list,
  neverNull,
  nonEmpty,
  nullable,
  optional,
  type Static,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";
import { STATUSES } from "../models.ts";
import { INTERVAL, RETRIES } from "./settings.ts";

const LONGEST_NAME = 150;
const LONGEST_TARGET = 2_048;

/** The types that can be created: target and port alone define what they watch. */
export const CREATED_TYPES = namedValues("MonitorType", ["http", "ping", "port", "dns", "group"]);
export const SYNC_STATUSES = namedValues("MonitorSyncStatus", ["pending", "active", "drift", "missing", "error"]);
export const LINK_STATUSES = ["linked", "matched", "ambiguous", "unmatched"] as const;
export const ANCHORS = namedValues("UptimeAnchor", ["website", "domain", "hosting"]);
export type Anchor = (typeof ANCHORS)[number];

const interval = () =>
  integer(INTERVAL.least, INTERVAL.most, {
    description: "Seconds between two checks; null uses the profile's value, else 60",
  });
const retries = () =>
  integer(RETRIES.least, RETRIES.most, {
    description: "Failed checks in a row that are repeated before the monitor is down; null uses the profile's value, else 1",
  });
const port = () => integer(1, 65_535, { description: "Port, for types with a separate port; else null" });
const target = () =>
  text(LONGEST_TARGET, {
    description: "Target: an `http` or `https` address without credentials for `http`, a host for the others; none for a group",
  });

export const UptimeMonitorRead = answer(
  "UptimeMonitorRead",
  {
    id: uuid(),
    instance_id: uuid(),
    instance_name: Type.String({ description: "Name of the server the monitor is on" }),
    remote_id: nullable(Type.Integer({ description: "Number of the monitor at its server; null until it exists there" })),
    name: Type.String(),
    monitor_type: Type.String({ description: "The server's type name: `http`, `ping`, `group`, …" }),
    target: nullable(
      Type.String({ description: "Address or host that is checked, without credentials; null for types without one" }),
    ),
    port: nullable(Type.Integer({ description: "Port that is checked at the target; null for types without one" })),
    interval_seconds: nullable(
      Type.Integer({ description: "Its own seconds between two checks; null uses the profile's, else 60" }),
    ),
    retries: nullable(Type.Integer({ description: "Its own repetitions before it is down; null uses the profile's, else 1" })),
    effective_interval_seconds: Type.Integer({ description: "Seconds between two checks, resolved" }),
    effective_retries: Type.Integer({ description: "Repetitions before it is down, resolved" }),
    parent_id: nullable(field(uuid(), "The monitor of type `group` it is in; null outside of any")),
    parent_name: nullable(Type.String({ description: "Name of that group; null if the caller does not see it" })),
    child_count: Type.Integer({ description: "Monitors in it that the caller sees, if it is a group; else 0" }),
    profile_id: nullable(uuid()),
    profile_name: nullable(Type.String()),
    entity_type: nullable(choice(ANCHORS, { description: "The kind of record it monitors; null if unlinked" })),
    entity_id: nullable(field(uuid(), "The website, domain or hosting it monitors; null if unlinked")),
    entity_name: nullable(Type.String({ description: "Name of that record; null if the caller does not see it" })),
    company_id: nullable(field(uuid(), "Its client: the linked record's, unless another was set; null without one")),
    company_name: nullable(Type.String()),
    company_given: field(flag(), "Whether the client was set and no longer follows the linked record"),
    active: field(flag(), "False: it is paused"),
    paused_until: nullable(
      field(instant(), "When the pause that an automation rule began ends, UTC; null while it is active or paused until resumed"),
    ),
    status: nullable(choice(STATUSES, { description: "Its last reported status; null before its first heartbeat" })),
    status_since: nullable(field(instant(), "Since when it has had this status, UTC; null before its first heartbeat")),
    flapping: field(
      flag(),
      "Whether it changed between down and up more than five times in 15 minutes: until 15 minutes pass without a change, none is reported",
    ),
    last_heartbeat_at: nullable(field(instant(), "When its newest known heartbeat was, in UTC; null before the first")),
    sync_status: choice(SYNC_STATUSES, {
      description:
        "`pending`: not written to the server yet; `active`: as requested; `drift`: the server has `drift_fields` differently; `missing`: the server no longer lists it; `error`: the last write failed, see `last_error`",
    }),
    drift_fields: list(Type.String()),
    adopted: field(flag(), "Whether it was made at the server and found there; such a monitor never drifts"),
    link_status: choice(LINK_STATUSES, {
      description: "`linked`: set by a person; else from its host: `matched` one record, `ambiguous` several, `unmatched` none",
    }),
    last_error: nullable(Type.String({ description: "Error of the last write, without credentials; null if it succeeded" })),
    last_synced_at: nullable(field(instant(), "When the server last listed it, or was last written to, UTC; null before that")),
    created_at: instant(),
    updated_at: instant(),
  },
  {
    instance_id: "The server it is on",
    name: "Name here and at the server",
    profile_id: "The profile with its settings; null without one",
    profile_name: "Name of that profile; null without one",
    drift_fields: "Settings that differ at the server",
  },
);
export type MonitorAnswer = Static<typeof UptimeMonitorRead>;

export const UptimeMonitorCreate = input(
  "UptimeMonitorCreate",
  {
    instance_id: field(uuid(), "The server it is made on"),
    remote_id: optional(
      nullable(
        integer(1, undefined, {
          description:
            "Number of the monitor at a linked server, which this service never writes to; required there, refused elsewhere",
        }),
      ),
    ),
    name: field(nonEmpty(LONGEST_NAME), "Name here and at the server"),
    monitor_type: optional(choice(CREATED_TYPES, { default: "http" })),
    target: optional(nullable(target())),
    port: optional(nullable(port())),
    interval_seconds: optional(nullable(interval())),
    retries: optional(nullable(retries())),
    parent_id: optional(nullable(field(uuid(), "A monitor of type `group` on the same server"))),
    profile_id: optional(nullable(uuid())),
    entity_type: optional(nullable(choice(ANCHORS, { description: "With `entity_id`: the record it monitors" }))),
    entity_id: optional(nullable(field(uuid(), "With `entity_type`: the record it monitors"))),
    company_id: optional(nullable(field(uuid(), "Client; by default the linked record's"))),
  },
  { monitor_type: "What the server checks, and how", profile_id: "The profile with its settings; null or absent for none" },
);

export const UptimeMonitorUpdate = input(
  "UptimeMonitorUpdate",
  {
    name: optional(neverNull(nullable(field(nonEmpty(LONGEST_NAME), "Name here and at the server")))),
    monitor_type: optional(neverNull(nullable(choice(CREATED_TYPES)))),
    target: optional(nullable(target())),
    port: optional(nullable(port())),
    interval_seconds: optional(nullable(interval())),
    retries: optional(nullable(retries())),
    parent_id: optional(nullable(field(uuid(), "A monitor of type `group` on the same server; null removes it from its group"))),
    profile_id: optional(nullable(uuid())),
    company_id: optional(nullable(field(uuid(), "Client from now on; null detaches it. The linked record stays"))),
  },
  { monitor_type: "What the server checks, and how", profile_id: "The profile with its settings; null if none" },
);

export const UptimeLink = input("UptimeLink", {
  entity_type: nullable(choice(ANCHORS, { description: "The kind of record it monitors; null, as `entity_id`, detaches it" })),
  entity_id: nullable(field(uuid(), "The record it monitors; null, as `entity_type`, detaches it")),
});

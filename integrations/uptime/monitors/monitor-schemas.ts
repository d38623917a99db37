import {
  answer,
  choice,
  field,
  flag,
  input,
  instant,
  integer,
  label,
  list,
  neverNull,
  nullable,
  optional,
  type Static,
  Type,
  text,
  uuid,
} from "../../../core/declare/schema.ts";
import { STATUSES } from "../models.ts";
import { INTERVAL, RETRIES } from "./settings.ts";

const LONGEST_NAME = 150;
const LONGEST_TARGET = 2_048;

/** The types that can be created: target and port alone define what they watch. */
export const CREATED_TYPES = ["http", "ping", "port", "dns", "group"] as const;
export const SYNC_STATUSES = ["pending", "active", "drift", "missing", "error"] as const;
export const LINK_STATUSES = ["linked", "matched", "ambiguous", "unmatched"] as const;
export const ANCHORS = ["website", "domain", "hosting"] as const;
export type Anchor = (typeof ANCHORS)[number];

const interval = () =>
  integer(INTERVAL.least, INTERVAL.most, {
    description: "Seconds between two checks; null takes that of the profile, else 60",
  });
const retries = () =>
  integer(RETRIES.least, RETRIES.most, {
    description: "Failed checks in a row that are repeated before the monitor is down; null takes those of the profile, else 1",
  });
const port = () => integer(1, 65_535, { description: "Port, for types that have one beside the target; else null" });
const target = () =>
  text(LONGEST_TARGET, {
    description:
      "What is watched: an `http` or `https` address without credentials for `http`, a host for the others; none for a group",
  });

export const UptimeMonitorRead = answer(
  "UptimeMonitorRead",
  {
    id: uuid(),
    instance_id: uuid(),
    instance_name: Type.String({ description: "Name of the server the monitor is on" }),
    remote_id: nullable(Type.Integer({ description: "Number of the monitor at its server; null until it is there" })),
    name: Type.String(),
    monitor_type: Type.String({ description: "The server's word for what is done: `http`, `ping`, `group`, …" }),
    target: nullable(
      Type.String({ description: "Address or host that is watched, without credentials; null for types without one" }),
    ),
    port: nullable(Type.Integer({ description: "Port beside the target; null for types without one" })),
    interval_seconds: nullable(
      Type.Integer({ description: "Seconds between two checks of its own; null takes the profile's, else 60" }),
    ),
    retries: nullable(
      Type.Integer({ description: "Repetitions before it is down, of its own; null takes the profile's, else 1" }),
    ),
    effective_interval_seconds: Type.Integer({ description: "Seconds between two checks, resolved" }),
    effective_retries: Type.Integer({ description: "Repetitions before it is down, resolved" }),
    parent_id: nullable(field(uuid(), "The monitor of type `group` it is in; null outside of any")),
    parent_name: nullable(Type.String({ description: "Name of that group; null where the caller does not see it" })),
    child_count: Type.Integer({ description: "Monitors in it, where it is a group" }),
    profile_id: nullable(uuid()),
    profile_name: nullable(Type.String()),
    entity_type: nullable(choice(ANCHORS, { description: "The kind of record it watches; null where it is linked to none" })),
    entity_id: nullable(field(uuid(), "The website, domain or hosting it watches; null where it is linked to none")),
    entity_name: nullable(Type.String({ description: "Name of that record; null where the caller does not see it" })),
    company_id: nullable(field(uuid(), "Client it belongs to; that of the linked record unless another was given")),
    company_name: nullable(Type.String()),
    company_given: field(flag(), "Whether the client was given, and no longer follows the linked record"),
    active: field(flag(), "False: it is paused"),
    status: nullable(choice(STATUSES, { description: "What it last reported; null before its first heartbeat" })),
    status_since: nullable(field(instant(), "Since when that is so")),
    last_heartbeat_at: nullable(field(instant(), "When its newest known heartbeat was, in UTC; null before the first")),
    sync_status: choice(SYNC_STATUSES, {
      description:
        "`pending`: not written to the server yet; `active`: as it is wanted; `drift`: the server has `drift_fields` differently; `missing`: the server no longer lists it; `error`: the last write failed, see `last_error`",
    }),
    drift_fields: list(Type.String()),
    adopted: field(flag(), "Whether it was made at the server and found there; such a monitor never drifts"),
    link_status: choice(LINK_STATUSES, {
      description:
        "`linked`: set by a person; else what its host matches: `matched` one record, `ambiguous` several, `unmatched` none",
    }),
    last_error: nullable(
      Type.String({ description: "What went wrong at the last write, without credentials; null where nothing did" }),
    ),
    last_synced_at: nullable(field(instant(), "When the server last listed it, or was last written to; null before that")),
    created_at: instant(),
    updated_at: instant(),
  },
  {
    instance_id: "The server it is on",
    name: "Name here and at the server",
    profile_id: "The profile whose settings it takes; null without one",
    profile_name: "Name of that profile; null without one",
    drift_fields: "Settings that the server has otherwise than they are wanted",
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
            "Number of the monitor at a linked server, which is written to by nobody; required there, refused elsewhere",
        }),
      ),
    ),
    name: field(label(LONGEST_NAME), "Name here and at the server"),
    monitor_type: optional(choice(CREATED_TYPES, { default: "http" })),
    target: optional(nullable(target())),
    port: optional(nullable(port())),
    interval_seconds: optional(nullable(interval())),
    retries: optional(nullable(retries())),
    parent_id: optional(nullable(field(uuid(), "A monitor of type `group` on the same server"))),
    profile_id: optional(nullable(uuid())),
    entity_type: optional(nullable(choice(ANCHORS, { description: "With `entity_id`: the record it watches" }))),
    entity_id: optional(nullable(field(uuid(), "With `entity_type`: the record it watches"))),
    company_id: optional(nullable(field(uuid(), "Client; without it that of the linked record"))),
  },
  { monitor_type: "What is checked and how", profile_id: "The profile whose settings it takes; null or absent for none" },
);

export const UptimeMonitorUpdate = input(
  "UptimeMonitorUpdate",
  {
    name: optional(neverNull(nullable(field(label(LONGEST_NAME), "Name here and at the server")))),
    monitor_type: optional(neverNull(nullable(choice(CREATED_TYPES)))),
    target: optional(nullable(target())),
    port: optional(nullable(port())),
    interval_seconds: optional(nullable(interval())),
    retries: optional(nullable(retries())),
    parent_id: optional(nullable(field(uuid(), "A monitor of type `group` on the same server; null takes it out"))),
    profile_id: optional(nullable(uuid())),
    company_id: optional(nullable(field(uuid(), "Client from now on; null detaches it. The linked record stays"))),
  },
  { monitor_type: "What is checked and how", profile_id: "The profile whose settings it takes; null for none" },
);

export const UptimeLink = input("UptimeLink", {
  entity_type: nullable(choice(ANCHORS, { description: "The kind of record it watches; null, as `entity_id`, detaches it" })),
  entity_id: nullable(field(uuid(), "The record it watches; null, as `entity_type`, detaches it")),
});

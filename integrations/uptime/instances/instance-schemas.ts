import { namedValues } from "../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  field,
  flag,
  input,
  instant,
  integer,
  label,
  map,
  neverNull,
  nonEmpty,
  nullable,
  optional,
  type Static,
  Type,
  text,
  uuid,
  writeOnly,
} from "../../../core/schema/schema.ts";

const LONGEST_NAME = 255;
const LONGEST_URL = 2_048;

const MODES = namedValues("UptimeInstanceMode", ["managed", "linked"]);
const STATUSES = namedValues("UptimeInstanceStatus", ["pending", "active", "error", "needs_reauth"]);

const mode = () =>
  choice(MODES, {
    description:
      "`managed`: this service signs in at the server. `linked`: the server only posts to the webhook, and this service changes nothing there",
  });
const baseUrl = () =>
  text(LONGEST_URL, {
    description:
      "Address of the server, `http` or `https`; a path before the pages of Uptime Kuma is kept. A managed server needs one",
  });

export const UptimeInstanceRead = answer("UptimeInstanceRead", {
  id: uuid(),
  name: Type.String({ description: "Name of the server; unique in the organisation, case ignored" }),
  mode: mode(),
  base_url: nullable(Type.String({ description: "Address of the server; null for a linked one without an address" })),
  ssl_verify: field(flag(), "Whether the certificate of an `https` address must be valid"),
  active: field(flag(), "False: the server is not called, and its deliveries are 404"),
  status: choice(STATUSES, {
    description:
      "`pending`: no contact yet; `active`; `error`: the last connection failed, see `last_error`; `needs_reauth`: the server no longer accepts the stored token and has to be enrolled again",
  }),
  enrolled: field(flag(), "Whether a token is stored that can be decrypted"),
  headers_configured: field(flag(), "Whether headers go with every connection. Their values never appear in answers"),
  server_version: nullable(Type.String({ description: "Version that the server reported; null before the first login" })),
  monitor_count: Type.Integer({ description: "Tracked monitors that the caller sees, including those missing at the server" }),
  untracked_count: Type.Integer({
    description: "Monitors of the server that were deleted here alone, and that a sync passes over",
  }),
  enrolled_at: nullable(field(instant(), "When a person last signed in, UTC; null before that")),
  last_synced_at: nullable(field(instant(), "When the monitors were last read in full, UTC; null before that")),
  heartbeats_read_at: nullable(field(instant(), "When the newest heartbeats were last read, UTC; null before that")),
  last_error: nullable(Type.String({ description: "Why the last connection failed, without credentials; null while it works" })),
  created_at: instant(),
  updated_at: instant(),
});

export const UptimeInstanceDetail = answer("UptimeInstanceDetail", {
  ...UptimeInstanceRead.properties,
  webhook_url: nullable(
    Type.String({
      description:
        "Address for a notification of type Webhook at the server. Anyone with this address can report states of its monitors; null if its secret can no longer be decrypted",
    }),
  ),
});
export type InstanceDetail = Static<typeof UptimeInstanceDetail>;

export const UptimeInstanceCreate = input("UptimeInstanceCreate", {
  name: field(nonEmpty(LONGEST_NAME), "Name of the server; unique in the organisation, case ignored"),
  mode: optional(mode()),
  base_url: optional(nullable(baseUrl())),
  ssl_verify: optional(field(flag(true), "False accepts a certificate without a trusted authority")),
  active: optional(field(flag(true), "False: the server is not called, and its deliveries are 404")),
});

export const UptimeInstanceUpdate = input("UptimeInstanceUpdate", {
  name: optional(neverNull(nullable(field(nonEmpty(LONGEST_NAME), "Unique in the organisation, case ignored")))),
  base_url: optional(nullable(baseUrl())),
  ssl_verify: optional(neverNull(nullable(field(flag(), "False accepts a certificate without a trusted authority")))),
  active: optional(neverNull(nullable(field(flag(), "False: the server is not called, and its deliveries are 404")))),
});

const secret = (maxLength: number, description: string) =>
  Type.Unsafe<string>({ type: "string", minLength: 1, maxLength, writeOnly: true, description });

export const UptimeEnrolment = input("UptimeEnrolment", {
  username: field(label(255), "Name of the account at the server"),
  password: secret(1_024, "Password of the account. It is used once and not stored"),
  totp: optional(
    field(writeOnly(16), "One-time code, where the account has a second factor; absent, null or empty for one without"),
  ),
  connect_headers: optional(
    nullable(
      map(Type.String({ maxLength: 4_096, pattern: "^[\\t\\u0020-\\u007e\\u0080-\\u00ff]*$" }), {
        maxProperties: 20,
        writeOnly: true,
        description:
          "Headers by name, sent with every connection, for a gateway before the server; they replace the stored ones. Absent or null keeps those, an empty object removes them. Stored encrypted; no answer contains them",
      }),
    ),
  ),
});

export const UptimeEnrolmentResult = answer("UptimeEnrolmentResult", {
  ok: field(flag(), "Whether the server signed the account in. Its token is stored, the password is not"),
  server_version: nullable(Type.String({ description: "Version that the server reported; null without a login" })),
  error: nullable(
    Type.String({
      description:
        "Key of the failure: `errors.uptime_credentials_rejected`, `errors.uptime_totp_required`, `errors.uptime_totp_rejected`, `errors.uptime_unreachable`, `errors.uptime_not_server`, `errors.uptime_gateway_refused`, `errors.uptime_version_unsupported`, `errors.uptime_rate_limited`, `errors.uptime_failed`; null if `ok`",
    }),
  ),
  retry_after_seconds: nullable(
    integer(0, undefined, { description: "Seconds until another try is allowed; null if that is now" }),
  ),
});
export type EnrolmentResult = Static<typeof UptimeEnrolmentResult>;

export const UptimeSyncResult = answer("UptimeSyncResult", {
  ok: field(flag(), "Whether the list of monitors was read in full and stored"),
  found: Type.Integer({ description: "Monitors the server listed" }),
  added: Type.Integer({ description: "Monitors that are tracked from now on" }),
  changed: Type.Integer({ description: "Tracked monitors whose stored state changed" }),
  drifted: Type.Integer({ description: "Monitors made here that the server has differently" }),
  missing: Type.Integer({ description: "Tracked monitors that the server did not list" }),
  untracked: Type.Integer({ description: "Listed monitors that were passed over because they were deleted here alone" }),
  error: nullable(Type.String({ description: "Key or text of the failure; null if `ok`" })),
});
export type SyncResult = Static<typeof UptimeSyncResult>;

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
  type TProperties,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";
import { INTERVAL, RETRIES } from "../monitors/settings.ts";

const METHODS = namedValues("ProbeMethod", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The settings of a profile; null uses the built-in value. */
const settings = {
  interval_seconds: nullable(integer(INTERVAL.least, INTERVAL.most, { description: "Seconds between two checks; null uses 60" })),
  retries: nullable(integer(RETRIES.least, RETRIES.most, { description: "Repetitions before a monitor is down; null uses 1" })),
  retry_interval_seconds: nullable(
    integer(INTERVAL.least, INTERVAL.most, { description: "Seconds between two repetitions; null uses 60" }),
  ),
  resend_interval: nullable(
    integer(0, 10_000, { description: "Failed checks after which the server reports again; 0 never does, null uses 0" }),
  ),
  timeout_seconds: nullable(integer(1, 86_400, { description: "Timeout of a check in seconds; null uses 48" })),
  method: nullable(choice(METHODS, { description: "HTTP method of a check; null uses GET" })),
  accepted_statuses: nullable(
    Type.Array(Type.String({ pattern: "^[1-5][0-9]{2}(-[1-5][0-9]{2})?$" }), {
      minItems: 1,
      maxItems: 20,
      description: "HTTP statuses that count as up, one (`401`) or a range (`200-299`) each; null uses `200-299`",
    }),
  ),
  max_redirects: nullable(integer(0, 30, { description: "Most redirects to follow; null uses 10" })),
  expiry_notification: nullable(field(flag(), "Whether the server reports a certificate that expires soon; null uses true")),
} satisfies TProperties;

const sent = Object.fromEntries(Object.entries(settings).map(([name, schema]) => [name, optional(schema)])) as {
  [Name in keyof typeof settings]: ReturnType<typeof optional<(typeof settings)[Name]>>;
};
const name = () => field(nonEmpty(255), "Unique in the organisation, case ignored");

export const UptimeProfileRead = answer(
  "UptimeProfileRead",
  {
    id: uuid(),
    name: Type.String(),
    ...settings,
    accepted_statuses: nullable(field(list(Type.String()), "HTTP statuses that count as up; null uses `200-299`")),
    monitor_count: Type.Integer({ description: "Number of monitors with this profile that the caller sees" }),
    created_at: instant(),
    updated_at: instant(),
  },
  { name: "Name of the profile, unique in the organisation" },
);

export const UptimeProfileCreate = input("UptimeProfileCreate", { name: name(), ...sent });
export const UptimeProfileUpdate = input("UptimeProfileUpdate", { name: optional(neverNull(nullable(name()))), ...sent });

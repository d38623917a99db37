import { namedValues } from "../../../core/naming/named-values.ts";
import type { Texts } from "../../../core/schema/fields.ts";
import {
  answer,
  choice,
  closed,
  flag,
  input,
  integer,
  list,
  nullable,
  optional,
  type TObject,
  type TProperties,
  Type,
  time,
  uuid,
} from "../../../core/schema/schema.ts";

const RULE = {
  event_type: "Kind of the event, such as `task.assigned`; at most once in a list",
  enabled: "Whether the event is delivered this way",
  delay_minutes: "Delay of an `immediate` delivery, in minutes",
  digest: "`immediate`, `hourly`, `daily` or `weekly`",
  digest_time: "Time of daily and weekly deliveries on the organisation's clock; null for 08:00",
  digest_weekday: "Weekday of weekly deliveries, 0 for Monday to 6 for Sunday; null for Monday",
};

const FROM = "Source: `default` for the service, `org` for the organisation, `user` for the person";

const ROW = {
  ...RULE,
  source: FROM,
  email_enabled: "Whether the event is delivered by e-mail",
  email_delay_minutes: "Delay of an `immediate` e-mail, in minutes",
  email_digest: "Cadence by e-mail: `immediate`, `hourly`, `daily` or `weekly`",
  email_source: FROM,
  push_enabled: "Whether the event is delivered by push",
  push_delay_minutes: "Delay of an `immediate` push message, in minutes",
  push_digest: "Cadence by push: `immediate`, `hourly`, `daily` or `weekly`",
  push_source: FROM,
};

const GENERAL = {
  due_soon_days: "How many days before the due date of a task the person gets a reminder; null for 3",
  quiet_hours_start:
    "Start of the quiet hours on the organisation's clock; null: no quiet hours. They delay e-mail, push and channels, never the inbox",
  quiet_hours_end: "End of the quiet hours, on the next day if it is before the start; null: no quiet hours",
  source: FROM,
};

const SCHEDULE = {
  digest_time: "Time of daily and weekly messages on the organisation's clock; null for 08:00",
  digest_weekday: "Weekday of weekly messages, 0 for Monday to 6 for Sunday; null for Monday",
  source: FROM,
};

const SOURCES = namedValues("PreferenceSource", ["default", "org", "user"]);
/** Longest delay in minutes. */
const MOST_DELAY = 1440;

const source = () => choice(SOURCES);
const wayRead = { enabled: flag(), delay_minutes: integer(), digest: Type.String() };
const fallbackSource = () => choice(SOURCES, { default: "default" });

/** The effective rules of one event, by way, with their sources. */
const PreferenceRow = answer(
  "PreferenceRow",
  {
    event_type: Type.String(),
    ...wayRead,
    digest_time: nullable(time()),
    digest_weekday: nullable(integer()),
    source: source(),
    email_enabled: flag(false),
    email_delay_minutes: Type.Integer({ default: 0 }),
    email_digest: Type.String({ default: "immediate" }),
    email_source: fallbackSource(),
    push_enabled: flag(false),
    push_delay_minutes: Type.Integer({ default: 0 }),
    push_digest: Type.String({ default: "immediate" }),
    push_source: fallbackSource(),
  },
  ROW,
);

const GeneralPreference = answer(
  "GeneralPreference",
  {
    due_soon_days: integer(),
    quiet_hours_start: nullable(time()),
    quiet_hours_end: nullable(time()),
    source: source(),
  },
  GENERAL,
);

const EmailSchedule = answer(
  "EmailSchedule",
  {
    digest_time: nullable(time()),
    digest_weekday: nullable(integer()),
    source: source(),
  },
  SCHEDULE,
);

const ChannelPreferenceEvent = answer(
  "ChannelPreferenceEvent",
  {
    event_type: Type.String(),
    enabled: flag(false),
    delay_minutes: Type.Integer({ default: 0 }),
    digest: Type.String({ default: "immediate" }),
  },
  RULE,
);

const ChannelPreference = answer(
  "ChannelPreference",
  {
    id: uuid(),
    name: Type.String(),
    kind: Type.String(),
    digest_time: nullable(time()),
    digest_weekday: nullable(integer()),
    events: Type.Array(ChannelPreferenceEvent, { default: [] }),
  },
  {
    id: "The channel",
    name: "Name of the channel",
    kind: "Kind of the channel",
    digest_time: "Time of its daily and weekly messages on the organisation's clock; null for 08:00",
    digest_weekday: "Weekday of its weekly messages, 0 for Monday to 6 for Sunday; null for Monday",
    events: "One row for every event",
  },
);

export const PreferenceMatrix = answer(
  "PreferenceMatrix",
  {
    events: list(PreferenceRow),
    general: GeneralPreference,
    email: EmailSchedule,
    push: EmailSchedule,
    channels: Type.Array(ChannelPreference, { default: [] }),
  },
  {
    events: "Rules of each event, in the application, by e-mail and by push",
    general: "Deadlines and quiet hours",
    email: "Times of messages by e-mail",
    push: "Times of messages by push",
    channels: "Routing to channels of this scope; empty for callers without access to them",
  },
);

const rule = (enabled: boolean) => ({
  event_type: Type.String(),
  enabled: optional(flag(enabled)),
  delay_minutes: optional(Type.Integer({ minimum: 0, maximum: MOST_DELAY, default: 0 })),
  digest: optional(Type.String({ default: "immediate" })),
});
const times = {
  digest_time: optional(nullable(time())),
  digest_weekday: optional(nullable(integer(0, 6))),
};

/**
 * A part of the preferences. It refuses unknown keys, because a misspelt key would silently reset a setting to its default. It accepts the
 * additional keys of its read schema.
 */
const closedInput = <P extends TProperties>(name: string, properties: P, texts: Texts, read?: TObject) =>
  closed(
    input(name, properties, texts),
    Object.keys(read?.properties ?? {}).filter((key) => !Object.hasOwn(properties, key)),
  );

const PreferenceRowWrite = closedInput("PreferenceRowWrite", { ...rule(true), ...times }, RULE, PreferenceRow);
const EmailPreferenceRowWrite = closedInput("EmailPreferenceRowWrite", rule(false), RULE);
const PushPreferenceRowWrite = closedInput("PushPreferenceRowWrite", rule(false), RULE);
const ChannelPreferenceEventWrite = closedInput("ChannelPreferenceEventWrite", rule(false), RULE);
const ChannelPreferenceWrite = closedInput(
  "ChannelPreferenceWrite",
  {
    channel_config_id: uuid(),
    events: optional(Type.Array(ChannelPreferenceEventWrite, { default: [] })),
  },
  {
    channel_config_id: "The channel: your own, or a shared room in the defaults",
    events: "Events the channel gets; an omitted event is off",
  },
  ChannelPreference,
);
const EmailScheduleWrite = closedInput("EmailScheduleWrite", times, SCHEDULE, EmailSchedule);
const GeneralPreferenceWrite = closedInput(
  "GeneralPreferenceWrite",
  {
    due_soon_days: optional(nullable(integer(0, 90))),
    quiet_hours_start: optional(nullable(time())),
    quiet_hours_end: optional(nullable(time())),
  },
  GENERAL,
  GeneralPreference,
);

export const PreferenceUpdate = closedInput(
  "PreferenceUpdate",
  {
    events: optional(Type.Array(PreferenceRowWrite, { default: [] })),
    email_events: optional(Type.Array(EmailPreferenceRowWrite, { default: [] })),
    push_events: optional(Type.Array(PushPreferenceRowWrite, { default: [] })),
    general: optional(nullable(GeneralPreferenceWrite)),
    email: optional(nullable(EmailScheduleWrite)),
    push: optional(nullable(EmailScheduleWrite)),
    channels: optional(Type.Array(ChannelPreferenceWrite, { default: [] })),
  },
  {
    events: "Events in the application; an omitted event inherits",
    email_events: "Events by e-mail; an omitted event inherits",
    push_events: "Events by push; an omitted event inherits",
    general: "Deadlines and quiet hours; null inherits",
    email: "Times of messages by e-mail; null inherits",
    push: "Times of messages by push; null inherits",
    channels: "Routing to channels of this scope; an omitted channel is off",
  },
);

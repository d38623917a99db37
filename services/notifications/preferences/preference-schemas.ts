import {
  answer,
  choice,
  flag,
  input,
  integer,
  list,
  nullable,
  optional,
  Type,
  time,
  uuid,
} from "../../../core/declare/schema.ts";

const SOURCES = ["default", "org", "user"] as const;
/** Most minutes something is held back. */
const MOST_DELAY = 1440;

const source = () => choice(SOURCES);
const wayRead = { enabled: flag(), delay_minutes: integer(), digest: Type.String() };
const fallbackSource = () => choice(SOURCES, { default: "default" });

/** What counts for one event, by way, and where each comes from. */
const PreferenceRow = answer("PreferenceRow", {
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
});

const GeneralPreference = answer("GeneralPreference", {
  due_soon_days: integer(),
  quiet_hours_start: nullable(time()),
  quiet_hours_end: nullable(time()),
  source: source(),
});

const EmailSchedule = answer("EmailSchedule", {
  digest_time: nullable(time()),
  digest_weekday: nullable(integer()),
  source: source(),
});

const ChannelPreferenceEvent = answer("ChannelPreferenceEvent", {
  event_type: Type.String(),
  enabled: flag(false),
  delay_minutes: Type.Integer({ default: 0 }),
  digest: Type.String({ default: "immediate" }),
});

const ChannelPreference = answer("ChannelPreference", {
  id: uuid(),
  name: Type.String(),
  kind: Type.String(),
  digest_time: nullable(time()),
  digest_weekday: nullable(integer()),
  events: Type.Array(ChannelPreferenceEvent, { default: [] }),
});

export const PreferenceMatrix = answer("PreferenceMatrix", {
  events: list(PreferenceRow),
  general: GeneralPreference,
  email: EmailSchedule,
  push: EmailSchedule,
  channels: Type.Array(ChannelPreference, { default: [] }),
});

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

const PreferenceRowWrite = input("PreferenceRowWrite", { ...rule(true), ...times });
const EmailPreferenceRowWrite = input("EmailPreferenceRowWrite", rule(false));
const PushPreferenceRowWrite = input("PushPreferenceRowWrite", rule(false));
const ChannelPreferenceEventWrite = input("ChannelPreferenceEventWrite", rule(false));
const ChannelPreferenceWrite = input("ChannelPreferenceWrite", {
  channel_config_id: uuid(),
  events: optional(Type.Array(ChannelPreferenceEventWrite, { default: [] })),
});
const EmailScheduleWrite = input("EmailScheduleWrite", times);
const GeneralPreferenceWrite = input("GeneralPreferenceWrite", {
  due_soon_days: optional(nullable(integer(0, 90))),
  quiet_hours_start: optional(nullable(time())),
  quiet_hours_end: optional(nullable(time())),
});

export const PreferenceUpdate = input("PreferenceUpdate", {
  events: optional(Type.Array(PreferenceRowWrite, { default: [] })),
  email_events: optional(Type.Array(EmailPreferenceRowWrite, { default: [] })),
  push_events: optional(Type.Array(PushPreferenceRowWrite, { default: [] })),
  general: optional(nullable(GeneralPreferenceWrite)),
  email: optional(nullable(EmailScheduleWrite)),
  push: optional(nullable(EmailScheduleWrite)),
  channels: optional(Type.Array(ChannelPreferenceWrite, { default: [] })),
});

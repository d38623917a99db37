import {
  answer,
  choice,
  flag,
  input,
  instant,
  integer,
  label,
  line,
  nullable,
  optional,
  Type,
  text,
  time,
  uuid,
} from "../../../core/declare/schema.ts";

/** The kinds of channels, in the order of platform chapter §5.6. */
export const CHANNEL_KINDS = [
  "email",
  "slack",
  "msteams",
  "gchat",
  "discord",
  "telegram",
  "mailto",
  "webhook",
  "custom",
] as const;

const digest = { digest_time: optional(nullable(time())), digest_weekday: optional(nullable(integer(0, 6))) };

export const ChannelRead = answer("ChannelRead", {
  id: uuid(),
  org_id: uuid(),
  user_id: nullable(uuid()),
  kind: Type.String(),
  name: Type.String(),
  redacted: Type.String(),
  enabled: flag(),
  digest_time: nullable(time()),
  digest_weekday: nullable(integer()),
  created_at: instant(),
});

export const ChannelCreate = input("ChannelCreate", {
  kind: choice(CHANNEL_KINDS),
  name: label(120),
  url: line({ minLength: 1, writeOnly: true }),
  enabled: optional(flag(true)),
  user_id: optional(nullable(uuid())),
  ...digest,
});

export const ChannelUpdate = input("ChannelUpdate", {
  name: optional(nullable(text(120))),
  url: optional(nullable(line({ writeOnly: true }))),
  enabled: optional(nullable(flag())),
  ...digest,
});

export const ChannelTestResult = answer("ChannelTestResult", { ok: flag(), error: nullable(Type.String()) });

import {
  answer,
  choice,
  flag,
  input,
  instant,
  integer,
  line,
  nonEmpty,
  nullable,
  optional,
  Type,
  text,
  time,
  uuid,
} from "../../../core/schema/schema.ts";

const CHANNEL = {
  user_id:
    "The person whose channel it is; null for a shared room. Callers without `notifications.channels.manage` always get their own",
  kind: "Kind of channel; it never changes",
  name: "Name of the channel",
  redacted: "The address, shortened so that it cannot be used",
  url: "Address from the provider, an e-mail address for `email`, or `bot-token/chat` for `telegram`. No answer contains it; blank keeps the stored one",
  enabled: "Whether the channel gets messages",
  digest_time: "Time of daily and weekly messages on the organisation's clock; null for 08:00",
  digest_weekday: "Weekday of weekly messages, 0 for Monday to 6 for Sunday; null for Monday",
};

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

export const ChannelRead = answer(
  "ChannelRead",
  {
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
  },
  CHANNEL,
);

export const ChannelCreate = input(
  "ChannelCreate",
  {
    kind: choice(CHANNEL_KINDS),
    name: nonEmpty(120),
    url: line({ minLength: 1, writeOnly: true }),
    enabled: optional(flag(true)),
    user_id: optional(nullable(uuid())),
    ...digest,
  },
  CHANNEL,
);

export const ChannelUpdate = input(
  "ChannelUpdate",
  {
    name: optional(nullable(text(120))),
    url: optional(nullable(line({ writeOnly: true }))),
    enabled: optional(nullable(flag())),
    ...digest,
  },
  CHANNEL,
);

export const ChannelTestResult = answer(
  "ChannelTestResult",
  { ok: flag(), error: nullable(Type.String()) },
  {
    ok: "Whether the channel accepted the message",
    error: "Why the test failed, such as the provider's own words; null on success",
  },
);

import {
  answer,
  flag,
  input,
  instant,
  line,
  nonEmpty,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";

/** No answer contains a value that could reach a browser (platform chapter §0). */
const secret = (maxLength: number) => line({ minLength: 1, maxLength, writeOnly: true });

export const PushConfig = answer(
  "PushConfig",
  { vapid_public_key: Type.String(), supported: flag(true) },
  {
    vapid_public_key: "Public key of the organisation for subscribing a browser (VAPID); it never changes",
    supported: "Whether this installation sends push messages",
  },
);

export const PushSubscriptionRead = answer(
  "PushSubscriptionRead",
  {
    id: uuid(),
    user_agent: nullable(Type.String()),
    created_at: instant(),
    last_seen_at: instant(),
    last_success_at: nullable(instant()),
    current: flag(false),
  },
  {
    user_agent: "Browser of the device, as it names itself; null if unknown",
    created_at: "When the device was registered, UTC",
    last_seen_at: "When the device last registered, UTC",
    last_success_at: "When its push service last accepted a message, UTC; null if never",
    current: "Whether it is the device of the requested `endpoint`",
  },
);

export const PushSubscriptionCreate = input(
  "PushSubscriptionCreate",
  {
    endpoint: secret(1024),
    p256dh: secret(160),
    auth: secret(40),
    user_agent: optional(nullable(text(255))),
  },
  {
    endpoint: "Address from the browser's push service, https only. No answer contains it",
    p256dh: "Public key of the browser's subscription, in Base64",
    auth: "Secret of the browser's subscription, in Base64",
    user_agent: "Browser of the device, as it names itself; null if unknown",
  },
);

export const PushUnsubscribe = input(
  "PushUnsubscribe",
  { endpoint: nonEmpty(1024) },
  { endpoint: "Address of the device to remove; an unknown one changes nothing" },
);

export const PushTestResult = answer(
  "PushTestResult",
  {
    ok: flag(),
    delivered: Type.Integer({ default: 0 }),
    error: nullable(Type.String()),
  },
  {
    ok: "Whether a device accepted the message",
    delivered: "Number of devices that accepted the message",
    error: "Why no device accepted it; null on success",
  },
);

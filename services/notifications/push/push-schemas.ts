import { answer, flag, input, instant, label, line, nullable, optional, Type, text, uuid } from "../../../core/declare/schema.ts";

/** No answer contains what could reach a browser (platform chapter §0). */
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
    user_agent: "Browser of the device, as it names itself; null where not known",
    created_at: "When the device was registered, UTC",
    last_seen_at: "When it last registered itself, UTC",
    last_success_at: "When its push service last accepted a message, UTC; null for never",
    current: "Whether it is the device of the `endpoint` that was asked for",
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
    endpoint: "Address that the browser's push service gave; https alone. No answer holds it",
    p256dh: "Public key of the browser's subscription, in Base64",
    auth: "Secret of the browser's subscription, in Base64",
    user_agent: "Browser of the device, as it names itself; null where not known",
  },
);

export const PushUnsubscribe = input(
  "PushUnsubscribe",
  { endpoint: label(1024) },
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
    delivered: "Number of devices that accepted it",
    error: "Why none did; null on success",
  },
);

import { answer, flag, input, instant, label, line, nullable, optional, Type, text, uuid } from "../../../core/declare/schema.ts";

/** What reaches a browser is told by nothing (platform chapter §0). */
const secret = (maxLength: number) => line({ minLength: 1, maxLength, writeOnly: true });

export const PushConfig = answer("PushConfig", { vapid_public_key: Type.String(), supported: flag(true) });

export const PushSubscriptionRead = answer("PushSubscriptionRead", {
  id: uuid(),
  user_agent: nullable(Type.String()),
  created_at: instant(),
  last_seen_at: instant(),
  last_success_at: nullable(instant()),
  current: flag(false),
});

export const PushSubscriptionCreate = input("PushSubscriptionCreate", {
  endpoint: secret(1024),
  p256dh: secret(160),
  auth: secret(40),
  user_agent: optional(nullable(text(255))),
});

export const PushUnsubscribe = input("PushUnsubscribe", { endpoint: label(1024) });

export const PushTestResult = answer("PushTestResult", {
  ok: flag(),
  delivered: Type.Integer({ default: 0 }),
  error: nullable(Type.String()),
});

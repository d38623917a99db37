import { column, type RowOf, tenantModel } from "../../core/database/model.ts";

const { boolean, hashed, instant, integer, json, sealed, text, time, uuid } = column;

/** How often digests are sent (platform chapter §5.4). */
export const DIGESTS = ["immediate", "hourly", "daily", "weekly"] as const;
export type Digest = (typeof DIGESTS)[number];

/** How an event reaches a person by one way; a delay applies to `immediate` only. */
export interface EventRule {
  enabled: boolean;
  /** 0–1440. */
  delay_minutes: number;
  digest: Digest;
}
/** The same for the inbox, whose events have their own times. Null is the default. */
export interface InboxRule extends EventRule, Schedule {}
/** When digests are sent: `HH:MM` on the organisation's clock, and for weekly ones the day, 0 = Monday. Null is 08:00, and Monday. */
export interface Schedule {
  digest_time: string | null;
  digest_weekday: number | null;
}
/** Settings that do not depend on an event or way. */
export interface General {
  /** Null is 3. */
  due_soon_days: number | null;
  quiet_hours_start: string | null;
  quiet_hours_end: string | null;
}

/** An inbox row of a person; the content is in its event. */
export const Notification = tenantModel("notifications", {
  account_id: uuid(),
  event_id: uuid(),
  event_type: text(),
  entity_type: text(),
  entity_id: uuid(),
  read_at: instant().orNull(),
  visible_at: instant(),
});

/** The choices of a person, or of the organisation (without account): a whole scope, rules by event. */
export const Preferences = tenantModel("notification_preferences", {
  account_id: uuid().orNull(),
  events: json<Record<string, InboxRule>>().withDefault(),
  email_events: json<Record<string, EventRule>>().withDefault(),
  push_events: json<Record<string, EventRule>>().withDefault(),
  general: json<General>().orNull(),
  email: json<Schedule>().orNull(),
  push: json<Schedule>().orNull(),
});
export type PreferencesRow = RowOf<typeof Preferences>;

/** Where messages leave the service: a personal channel, or a shared room (without account). */
export const Channel = tenantModel("notification_channels", {
  account_id: uuid().orNull(),
  kind: text<"email" | "slack" | "msteams" | "gchat" | "discord" | "telegram" | "mailto" | "webhook" | "custom">(),
  name: text(),
  url: sealed(),
  redacted: text(),
  enabled: boolean().withDefault(),
  digest_time: time().orNull(),
  digest_weekday: integer().orNull(),
});
export type ChannelRow = RowOf<typeof Channel>;

/** An organisation's key pair for push messages (RFC 8292). */
export const PushKeys = tenantModel("notification_push_keys", { public_key: text(), private_key: sealed() });

/** A browser that a person registered for push messages (RFC 8030). */
export const PushDevice = tenantModel("notification_push_devices", {
  account_id: uuid(),
  endpoint_hash: hashed(),
  endpoint: sealed(),
  p256dh: sealed(),
  auth: sealed(),
  user_agent: text().orNull().blankIsNull(),
  last_seen_at: instant().withDefault(),
  last_success_at: instant().orNull(),
});
export type PushDeviceRow = RowOf<typeof PushDevice>;

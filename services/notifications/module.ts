import { GREETING, type MailKind } from "../../core/declare/messages.ts";
import { defineModule } from "../../core/declare/module.ts";
import { notificationFieldTexts, notificationResultTexts } from "./key-texts.ts";

const mails = {
  notification: {
    variables: ["title", "lines"],
    overridable: false,
    texts: {
      nl: {
        subject: "{{ brand }}: {{ title }}",
        body: [GREETING.nl, "Er is nieuws voor je bij {{ brand }}:", { each: "lines" }, { button: "Bekijken" }],
      },
      en: {
        subject: "{{ brand }}: {{ title }}",
        body: [GREETING.en, "There is news for you at {{ brand }}:", { each: "lines" }, { button: "View" }],
      },
    },
  },
} as const satisfies Record<string, MailKind>;

declare module "../../core/declare/messages.ts" {
  interface MailKinds extends Record<keyof typeof mails, true> {}
}

/** Notifications: inboxes, followed records, preferences, and deliveries. */
export default defineModule({
  key: "notifications",
  kind: "module",
  permissions: {
    "notifications.notification.read": { position: 10, grants: ["admin", "member", "client"] },
    "notifications.notification.write": { position: 20, grants: ["admin", "member", "client"] },
    "notifications.defaults.manage": { position: 30, grants: ["admin"] },
    "notifications.channels.manage": { position: 40, grants: ["admin"] },
    "notifications.channels.manage_own": { position: 50, grants: ["admin", "member"] },
  },
  errors: {
    422: ["invalid_endpoint errors.push_endpoint_blocked"],
  },
  errorTexts: {
    "invalid_endpoint errors.push_endpoint_blocked": [
      "The host of `endpoint` does not resolve to a public address.",
      "Send the endpoint that the browser returned for the subscription.",
    ],
  },
  fieldTexts: notificationFieldTexts,
  resultTexts: notificationResultTexts,
  mails,
  records: { notification_channel: {} },
  eventHook: { events: "all", load: async () => (await import("./audience/notify-audience.ts")).notifyAudience },
  hooks: {
    "interaction.discarded": async () => (await import("./audience/retiring.ts")).retireDiscarded,
    "task.date_dropped": async () => (await import("./audience/retiring.ts")).retireReminders,
    "leave.withdrawn": async () => (await import("./audience/retiring.ts")).retireWithdrawn,
  },
  demo: { position: 35, load: async () => (await import("./demo/demo-notifications.ts")).fillInbox },
  references: {
    "notification_watches.entity_id": { kind: "entity_type", oneBy: ["account_id"] },
    "notification_events.entity_id": { kind: "entity_type" },
    "notifications.entity_id": { kind: "entity_type" },
  },
  tables: [
    "notification_channel_routes",
    "notification_channels",
    "notification_deliveries",
    "notification_events",
    "notification_preferences",
    "notification_push_devices",
    "notification_push_keys",
    "notification_watches",
    "notifications",
  ],
  tags: { notifications: "Inbox, channels and subscriptions of a person." },
  parameters: {
    ":channel_id": "The channel",
    ":subscription_id": "The device that gets push messages",
    ":notification_id": "The notification",
    unread: "Only unread notifications, or only read ones; absent for both",
  },
});

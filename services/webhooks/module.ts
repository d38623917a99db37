import { defineModule } from "../../core/declare/module.ts";
import { webhookFieldTexts } from "./key-texts.ts";
import { webhookMails } from "./mails.ts";

/** Sends events to other systems according to Standard Webhooks (https://www.standardwebhooks.com). */
export default defineModule({
  key: "webhooks",
  kind: "core",
  permissions: {
    "settings.webhooks.manage": { position: 140, grants: ["admin"] },
  },
  errors: { 409: ["conflict errors.webhook_endpoint_removed"] },
  errorTexts: {
    "conflict errors.webhook_endpoint_removed": [
      "The endpoint of the delivery was removed.",
      "Add the endpoint again; it gets only later events.",
    ],
  },
  fieldTexts: webhookFieldTexts,
  eventHook: { events: "all", changes: true, load: async () => (await import("./deliveries/recording.ts")).recordDeliveries },
  mails: webhookMails,
  records: {
    webhook_endpoint: {
      copied: { list: "webhooks.endpoints.list", table: "webhook_endpoints", everyClient: true },
      seen: ["webhooks.endpoints.get", "endpoint_id"],
      readers: { permission: "settings.webhooks.manage" },
      client: null,
      trail: true,
    },
  },
  demo: { position: 70, load: async () => (await import("./demo/demo-webhooks.ts")).fillWebhooks },
  figures: [
    {
      sql: "select state, endpoints from webhook_figures() where state <> 'pending'",
      labels: ["state"],
      gauges: { endpoints: ["kantoor.webhooks.endpoints", "Endpoints of webhooks: working, failing or disabled"] },
    },
    {
      sql: "select deliveries from webhook_figures() where state = 'pending'",
      gauges: { deliveries: ["kantoor.webhooks.waiting", "Deliveries of webhooks that wait for their next attempt"] },
    },
  ],
  counters: {
    "kantoor.webhooks.attempts.total": {
      description: "Attempts to deliver webhooks",
      labels: { outcome: ["delivered", "rejected"] },
    },
  },
  references: { "webhook_deliveries.entity_id": { kind: "entity_type", left: "a delivery keeps the record that it reported" } },
  tables: ["webhook_deliveries", "webhook_endpoints"],
  tags: { webhooks: "Events sent to other systems, signed." },
  parameters: {
    ":delivery_id": "The delivery of an event",
    ":endpoint_id": "The webhook endpoint",
    endpoint_id: "Only deliveries to this endpoint",
    event: "Only deliveries of this kind of event",
  },
});

import { defineModule } from "../../../core/declare/module.ts";
import { subscriptionEvents } from "../events.ts";

export const subscriptions = defineModule({
  key: "subscriptions",
  kind: "module",
  licence: "subscriptions",
  permissions: {
    "subscriptions.subscription.read": { position: 10, grants: ["admin"] },
    "subscriptions.subscription.write": { position: 20, grants: ["admin"] },
    "subscriptions.subscription.delete": { position: 30, grants: ["admin"] },
    "subscriptions.type.manage": { position: 40, grants: ["admin"] },
    "subscriptions.template.manage": { position: 50, grants: ["admin"] },
  },
  events: subscriptionEvents,
  automation: {
    entities: { subscription: async () => (await import("./subscription-facts.ts")).subscriptionFacts },
    triggers: {
      "subscription.due": {
        position: 330,
        payload: ["subscription_id", "name", "company_id", "period_start", "period_end", "amount", "currency"],
      },
    },
  },
  hookPoints: ["subscription.activated", "subscription.projects_linked"],
  hooks: {
    "company.deleting": async () => (await import("./agreements-gone.ts")).agreementsGone,
  },
  records: {
    subscription_type: {
      copied: { list: "subscriptions.types.list", table: "subscription_types", permission: "subscriptions.subscription.read" },
    },
    subscription_template: {
      copied: {
        list: "subscriptions.templates.list",
        table: "subscription_templates",
        permission: "subscriptions.subscription.read",
      },
    },
    subscription: {
      copied: { list: "subscriptions.list", table: "subscriptions" },
      seen: ["subscriptions.get", "subscription_id"],
      readers: { permission: "subscriptions.subscription.read" },
      client: { table: "subscriptions", of: "t.company_id" },
      trail: true,
      changes: { price_increased: ["amount"] },
      loses: [
        { field: "subscription_type_id", to: "subscription_types", table: "subscriptions" },
        { field: "subscription_template_id", to: "subscription_templates", table: "subscriptions" },
        {
          field: "project_ids",
          to: "projects",
          table: "subscription_projects",
          column: "project_id",
          record: "subscription_id",
        },
        { field: "task_ids", to: "tasks", table: "subscription_tasks", column: "task_id", record: "subscription_id" },
      ],
      custom: true,
      files: "open",
      sheet: async () => (await import("./sheets/subscription.impex.ts")).subscription,
      bulk: {
        update: "subscriptions.subscription.write",
        delete: "subscriptions.subscription.delete",
        load: async () => (await import("./subscription.bulk.ts")).subscriptionsInBulk,
      },
    },
  },
  tables: [
    "subscription_prices",
    "subscription_projects",
    "subscription_tasks",
    "subscription_templates",
    "subscription_type_task_templates",
    "subscription_types",
    "subscriptions",
  ],
  shows: {
    // Agreements with included hours determine the budgets of their projects (work §2.4).
    subscription_projects: ["subscription_id", "project_id"],
    subscriptions: ["id", "company_id", "name", "status", "included_hours", "interval", "interval_count"],
  },
  tags: { subscriptions: "Recurring agreements with clients, their prices, types and presets." },
  parameters: {
    ":template_id": "The preset of an agreement",
    ":type_id": "The type of agreement",
    ":subscription_id": "The agreement",
    subscription_type_id: "Only agreements of this type",
  },
});

import { defineModule } from "../../core/declare/module.ts";
import { NotifyConfig, refusedWebhook, WebhookConfig } from "./actions/action-configs.ts";
import { automationEvents } from "./events.ts";
import { automationFieldTexts, automationResultTexts } from "./key-texts.ts";

/** Rules of an organisation: actions that run when an event happens to a record. Other modules declare the triggers and actions. */
export default defineModule({
  key: "automation",
  kind: "module",
  licence: "automation",
  permissions: {
    "automation.rule.read": { position: 10, grants: ["admin"] },
    "automation.rule.write": { position: 20, grants: ["admin"] },
    "automation.run.read": { position: 30, grants: ["admin"] },
  },
  errors: { 409: ["conflict errors.automation_too_many_rules"] },
  errorTexts: {
    "conflict errors.automation_too_many_rules": ["The organisation already has 200 rules.", "Delete a rule that is not in use."],
  },
  fieldTexts: automationFieldTexts,
  resultTexts: automationResultTexts,
  events: automationEvents,
  eventHook: { events: "all", load: async () => (await import("./runs/matching.ts")).matchRules },
  automation: {
    actions: {
      // No person does these without a rule, so the right to write rules suffices.
      "notification.send": {
        position: 40,
        config: NotifyConfig,
        call: "automation.actions.notify",
        permission: "automation.rule.write",
      },
      "webhook.post": {
        position: 50,
        config: WebhookConfig,
        call: "automation.actions.webhook",
        permission: "automation.rule.write",
        refused: refusedWebhook,
      },
    },
  },
  hooks: { "membership.handing_over": async () => (await import("./rules/hand-over.ts")).handOverRules },
  records: {
    automation_rule: { copied: { list: "automation.list", table: "automation_rules", permission: "automation.rule.read" } },
  },
  demo: { position: 50, load: async () => (await import("./demo/demo-automation.ts")).fillAutomation },
  references: {
    "automation_rules.actions": { to: "any", holds: "json" },
    "automation_rules.conditions": { to: "any", holds: "json" },
    "automation_runs.company_id": { to: "company" },
    "automation_runs.entity_id": { kind: "entity_type", left: "a run keeps the record that it was about" },
    "automation_matches.company_id": { to: "company" },
    "automation_matches.entity_id": { kind: "entity_type", left: "a run keeps the record that it was about" },
  },
  tables: ["automation_matches", "automation_rules", "automation_runs"],
  tags: { automation: "Rules that run actions on events." },
  parameters: { ":rule_id": "The rule", rule_id: "Only runs of this rule" },
});

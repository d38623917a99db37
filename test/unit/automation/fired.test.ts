import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { automation } from "../../../core/declare/catalogue/catalogue.ts";

const API = path.join(import.meta.dirname, "../../api");

/** The test that adds a rule for each trigger, causes its event and sees the run. In the catalogue's order. */
const FIRED: Readonly<Record<string, string>> = {
  "task.created": "automation/matching.test.ts",
  "task.status_changed": "automation/matching.test.ts",
  "task.assigned": "automation/matching.test.ts",
  "company.created": "automation/matching.test.ts",
  "company.status_changed": "automation/matching.test.ts",
  "project.status_changed": "automation/matching.test.ts",
  "website.uptime_toggled": "automation/matching.test.ts",
  "domain.status_changed": "automation/matching.test.ts",
  "invoice.issued": "automation/actions-of-modules.test.ts",
  "invoice.paid": "automation/actions-of-modules.test.ts",
  "invoice.overdue": "automation/fired-by-jobs.test.ts",
  "invoice.dunned": "automation/fired-by-jobs.test.ts",
  "quote.accepted": "automation/actions-of-modules.test.ts",
  "quote.rejected": "automation/actions-of-modules.test.ts",
  "contact.created": "automation/people-and-contacts.test.ts",
  "interaction.logged": "automation/people-and-contacts.test.ts",
  "leave.requested": "automation/people-and-contacts.test.ts",
  "leave.approved": "automation/people-and-contacts.test.ts",
  "report.ready": "automation/fired-by-jobs.test.ts",
  "report.sent": "automation/fired-by-jobs.test.ts",
  "uptime.monitor_down": "automation/pause-monitor.test.ts",
  "uptime.monitor_up": "uptime/uptime-outages.test.ts",
  "subscription.due": "automation/fired-by-jobs.test.ts",
  "task.unblocked": "automation/matching.test.ts",
};

/** The test that runs a rule with each action and sees its effect. In the catalogue's order. */
const RUN: Readonly<Record<string, string>> = {
  "task.create": "automation/execution.test.ts",
  "task.set_status": "automation/execution.test.ts",
  "task.assign": "automation/execution.test.ts",
  "notification.send": "automation/execution.test.ts",
  "webhook.post": "automation/execution.test.ts",
  "company.set_status": "automation/actions-of-modules.test.ts",
  "project.set_status": "automation/actions-of-modules.test.ts",
  "project.assign": "automation/actions-of-modules.test.ts",
  "task.add_label": "automation/actions-of-modules.test.ts",
  "task.comment": "automation/actions-of-modules.test.ts",
  "invoice.send": "automation/send-invoice.test.ts",
  "uptime.pause": "automation/pause-monitor.test.ts",
};

describe("the automation catalogue (platform §2.1)", () => {
  const { triggers, actions } = automation();
  for (const [what, tests, declared] of [
    ["trigger has a test that fires it", FIRED, triggers],
    ["action has a test that runs it", RUN, actions],
  ] as const)
    it(`is in the order of the specification, and every ${what}`, () => {
      expect([...declared.keys()]).to.deep.equal(Object.keys(tests));
      for (const [name, file] of Object.entries(tests)) {
        const text = readFileSync(path.join(API, file), "utf8");
        expect(text, `${name} in ${file}`).to.include(`"${name}"`).and.include("addRule(");
      }
    });
});

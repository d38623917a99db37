import { expect } from "chai";
import { jobsOf } from "../../../mixins/jobs.ts";
import { fire } from "../../support/jobs.ts";
import { MailWorld } from "../../support/mail/mail-world.ts";
import { makeAgreement } from "../money/agreements/agreement-records.ts";
import { MailedDocuments, printerReady } from "../money/mails/mailed-documents.ts";
import { MadeReports } from "../reporting/made-reports.ts";
import { enableReporting, ended, GENERATE, restoreFigures, visits, withFigures } from "../reporting/report-world.ts";
import { ok } from "../reporting/reporting-world.ts";
import { addRule, finished } from "./automation-support.ts";

describe("rules triggered by jobs and reports (platform §2.1)", () => {
  const world = new MailWorld();

  before(async function () {
    this.timeout(120_000);
    await world.start();
    await printerReady();
    await jobsOf(world.service.node.broker).ready();
  });
  after(() => world.stop());
  afterEach(restoreFigures);
  beforeEach(() => world.renew());

  const acting = (trigger_event: string, conditions: object = {}) =>
    addRule(world.tenant, {
      trigger_event,
      conditions,
      actions: [{ action_type: "task.create", config: { title: `After ${trigger_event}` } }],
    });
  /** The only run, which made a task for the client. */
  const acted = async (trigger_event: string, company_id: unknown) => {
    const runs = await finished(world.service, world.tenant);
    expect(runs.map((run) => [run.trigger_event, run.status, run.error])).to.deep.equal([[trigger_event, "succeeded", null]]);
    const { items } = (await world.tenant.owner.get("/tasks?q=After")).body;
    expect(items.map((task: Record<string, unknown>) => [task["title"], task["company_id"]])).to.deep.equal([
      [`After ${trigger_event}`, company_id],
    ]);
    return runs[0]?.payload;
  };

  it("invoice.overdue: once per due date of an invoice with an amount due", async () => {
    const { id: company } = await world.tenant.company();
    const documents = new MailedDocuments(world.service, world.tenant.organisation.id, company);
    await acting("invoice.overdue", { field: "outstanding", op: "gt", value: 100 });
    const id = await documents.invoice({ due_date: "2026-02-01" });
    await fire(world.service, "invoicing.daily");
    await fire(world.service, "invoicing.daily");
    expect(await acted("invoice.overdue", company)).to.include({ invoice_id: id, company_id: company, due_date: "2026-02-01" });
  });

  it("invoice.dunned: once per level that was sent", async () => {
    const { id: company } = await world.tenant.company();
    const documents = new MailedDocuments(world.service, world.tenant.organisation.id, company);
    await acting("invoice.dunned", { field: "level", op: "eq", value: 1 });
    await ok(world.tenant.owner.put("/invoicing/dunning", { enabled: true }));
    const id = await documents.invoice({ due_date: "2026-02-01" });
    await fire(world.service, "dunning.daily");
    await fire(world.service, "dunning.daily");
    expect(await acted("invoice.dunned", company)).to.include({
      invoice_id: id,
      company_id: company,
      level: 1,
      claimed: "121.00",
    });
  });

  it("subscription.due: for the ended period of an agreement", async () => {
    await acting("subscription.due", { field: "name", op: "eq", value: "Hosting" });
    const { id, company_id } = await makeAgreement(world.tenant, { auto_invoice_mode: "off" });
    await world.service.sql.query("update subscriptions set next_invoice_date = current_date - 1 where id = $1", [id]);
    await fire(world.service, "subscriptions.bill");
    expect(await acted("subscription.due", company_id)).to.include({ subscription_id: id, company_id, currency: "EUR" });
  });

  it("report.ready: when a report has its document", async () => {
    const { owner } = world.tenant;
    const { id: company_id } = await world.tenant.company();
    await enableReporting(world.service, world.tenant);
    withFigures({ "marketing.traffic_channels": async () => visits(120) });
    await acting("report.ready", { field: "audience", op: "eq", value: "client" });
    const { report } = await ok(owner.post(GENERATE, { company_id, period_start: "2026-01-01", period_end: "2026-01-31" }));
    await ended(world.service, owner, report.id);
    expect(await acted("report.ready", company_id)).to.include({ report_id: report.id, company_id, period_end: "2026-01-31" });
  });

  it("report.sent: when a report was mailed", async () => {
    const { id: company_id } = await world.tenant.company();
    const id = await new MadeReports(world.service, world.tenant, company_id).report();
    await acting("report.sent");
    const recipients = [{ email: "anna@vela.test", name: "Anna" }];
    await ok(world.tenant.owner.post(`/reporting/reports/${id}/send`, { recipients }));
    expect(await acted("report.sent", company_id)).to.include({ report_id: id, company_id, audience: "client" });
  });
});

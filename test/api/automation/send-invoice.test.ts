import { expect } from "chai";
import { jobsOf } from "../../../mixins/jobs.ts";
import { fire } from "../../support/jobs.ts";
import { MailWorld } from "../../support/mail/mail-world.ts";
import { CUSTOMER, MailedDocuments, printerReady } from "../money/mails/mailed-documents.ts";
import { addRule, addTask, finished } from "./automation-support.ts";

describe("invoice.send of a rule (platform §2.1)", () => {
  const world = new MailWorld();
  const { mailbox } = world;
  let documents: MailedDocuments;

  before(async function () {
    this.timeout(120_000);
    await world.start();
    await printerReady();
    await jobsOf(world.service.node.broker).ready();
  });
  after(() => world.stop());
  beforeEach(async () => {
    await world.renew();
    documents = new MailedDocuments(world.service, world.tenant.organisation.id, (await world.tenant.company()).id);
  });

  const sending = (trigger_event = "invoice.paid") =>
    addRule(world.tenant, { name: "Send it", trigger_event, actions: [{ action_type: "invoice.send", config: {} }] });
  const pay = async (values: Record<string, unknown> = {}) => {
    const id = await documents.invoice(values);
    const body = { paid_on: "2026-06-01", amount: "121.00" };
    expect((await world.tenant.owner.post(`/invoicing/invoices/${id}/payments`, body)).status).to.equal(200);
    return id;
  };

  it("mails the invoice that triggered it to its bill-to address, and records it as sent by the rule", async () => {
    await sending();
    const id = await pay();
    const [run] = await finished(world.service, world.tenant);
    expect([run?.status, run?.error]).to.deep.equal(["succeeded", null]);
    expect(run?.steps).to.deep.equal([
      { action_type: "invoice.send", status: "succeeded", result: { invoice_id: id, to: CUSTOMER.email } },
    ]);
    const [arrived, ...more] = mailbox.to(CUSTOMER.email);
    expect(more).to.deep.equal([]);
    expect(arrived?.mail.attachments.map(({ mimeType }) => mimeType)).to.deep.equal(["application/pdf"]);
    expect((await documents.row(id))["sent_at"]).to.not.equal(null);
    const lines = (await world.tenant.owner.get(`/activity?entity_type=invoice&entity_id=${id}&limit=50`)).body;
    const [sent] = lines.filter(({ action }: { action: string }) => action === "sent");
    expect([sent.actor_user_id ?? null, JSON.stringify(sent)]).to.satisfy(
      ([actor, line]: [string | null, string]) => actor === null && line.includes("Send it"),
    );
  });

  it("mails once, also when the run continues after its node died", async () => {
    await sending();
    await pay();
    const [run] = await finished(world.service, world.tenant);
    await world.service.sql.query(
      `update automation_runs set status = 'running', steps = '[]', finished_at = null, started_at = now() - interval '20 minutes',
         updated_at = now() - interval '20 minutes' where id = $1`,
      [run?.id],
    );
    await fire(world.service, "automation.sweep");
    const [again] = await finished(world.service, world.tenant);
    expect([again?.status, again?.steps]).to.deep.equal(["succeeded", run?.steps]);
    expect(mailbox.delivered).to.have.length(1);
  });

  it("fails with the key of the refusal: no recipient, a mail server that refuses, a record that is no invoice", async () => {
    await sending();
    await sending("task.created");
    const id = await pay({ customer: JSON.stringify({ ...CUSTOMER, email: null }) });
    mailbox.unknown.add("gone@vela.test");
    await pay({ customer: JSON.stringify({ ...CUSTOMER, email: "gone@vela.test" }) });
    await addTask(world.tenant);
    const runs = await finished(world.service, world.tenant);
    expect(runs.map(({ status, error, steps }) => [status, error, steps[0]?.error])).to.have.deep.members([
      ["failed", "errors.invoicing.no_recipient", "errors.invoicing.no_recipient"],
      ["failed", "errors.invoicing.email_failed", "errors.invoicing.email_failed"],
      ["failed", "errors.automation_action_config_invalid", "errors.automation_action_config_invalid"],
    ]);
    expect(mailbox.delivered).to.deep.equal([]);
    expect((await documents.row(id))["sent_at"]).to.equal(null);
  });

  it("takes no configuration: a key is 422 when the rule is saved", async () => {
    const actions = [{ action_type: "invoice.send", config: { invoice_id: "x" } }];
    const answer = await world.tenant.owner.post("/automation/rules", { name: "x", trigger_event: "invoice.paid", actions });
    expect([answer.status, answer.body.error.fields]).to.deep.equal([422, { actions: "errors.automation_unknown_config_key" }]);
  });
});

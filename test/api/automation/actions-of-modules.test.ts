import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { Invoicing, ok } from "../money/documents/invoicing.ts";
import { addRule, addTask, finished, runsOf } from "./automation-support.ts";

describe("triggers and actions that modules add to automation", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
  });

  it("set the status of a client and a project, assign a project, label a task and comment on it", async () => {
    const { owner } = tenant;
    const heir = await tenant.member("member");
    const company = await tenant.company({ status: "lead" });
    const project = (await owner.post("/projects", { name: "Site", company_id: company.id })).body;
    const label = (await owner.post("/tasks/labels", { name: "Urgent", color: "red" })).body;
    await addRule(tenant, {
      trigger_event: "task.created",
      actions: [
        { action_type: "company.set_status", config: { status: "active" } },
        { action_type: "project.set_status", config: { status: "on_hold" } },
        { action_type: "project.assign", config: { user_id: heir.accountId } },
        { action_type: "task.add_label", config: { label_id: label.id } },
        { action_type: "task.comment", config: { body: "Begun." } },
      ],
    });
    const task = await addTask(tenant, { title: "Cause", company_id: company.id, project_id: project.id, assignees: [] });
    const [run] = await finished(service, tenant);
    expect([run?.status, run?.error]).to.deep.equal(["succeeded", null]);
    expect((await owner.get(`/companies/${company.id}`)).body.status).to.equal("active");
    const changed = (await owner.get(`/projects/${project.id}`)).body;
    expect([changed.status, changed.responsible_user_id]).to.deep.equal(["on_hold", heir.accountId]);
    const seen = (await owner.get(`/tasks/${task.id}`)).body;
    expect(seen.labels.map(({ id }: { id: string }) => id)).to.deep.equal([label.id]);
    expect(seen.comments.map(({ body, author_user_id }: Record<string, unknown>) => [body, author_user_id])).to.deep.equal([
      ["Begun.", null],
    ]);
  });

  it("fail with the key of what is missing, and change nothing", async () => {
    const { owner } = tenant;
    const gone = await tenant.member("member");
    for (const [action_type, config] of [
      ["company.set_status", { status: "nowhere" }],
      ["project.set_status", { status: "on_hold" }],
      ["project.assign", { user_id: gone.accountId, project_id: "01890000-0000-7000-8000-000000000000" }],
      ["task.add_label", { label_id: "01890000-0000-7000-8000-000000000000" }],
      ["task.comment", { body: " " }],
    ] as const)
      await addRule(tenant, { name: action_type, trigger_event: "task.created", actions: [{ action_type, config }] });
    await owner.patch(`/members/${gone.membershipId}/account`, { active: false });
    await addTask(tenant, { title: "Cause" });
    const runs = await finished(service, tenant);
    expect(Object.fromEntries(runs.map(({ rule_name, error }) => [rule_name, error]))).to.deep.equal({
      "company.set_status": "errors.automation_action_config_invalid",
      "project.set_status": "errors.automation_action_config_invalid",
      "project.assign": "errors.inactive_member",
      "task.add_label": "errors.not_found",
      "task.comment": "errors.automation_action_config_invalid",
    });
  });

  it("fire for invoices, with their payload, and see the fields of the invoice", async () => {
    const books = await Invoicing.open(service, tenant);
    for (const trigger_event of ["invoice.issued", "invoice.paid"])
      await addRule(tenant, { trigger_event, conditions: { field: "kind", op: "eq", value: "invoice" } });
    const { id, number, total } = await books.issued();
    await books.pay(id, total);
    const payload = { invoice_id: id, number, company_id: books.company, total, currency: "EUR" };
    expect((await runsOf(tenant.owner)).map((run) => [run.trigger_event, run.payload])).to.deep.equal([
      ["invoice.issued", payload],
      ["invoice.paid", payload],
    ]);
  });

  it("fire for quotes that are accepted or rejected", async () => {
    const books = await Invoicing.open(service, tenant);
    for (const trigger_event of ["quote.accepted", "quote.rejected"]) await addRule(tenant, { trigger_event });
    const body = { company_id: books.company, lines: [{ description: "x", quantity: 1, unit_price: "10.00" }] };
    for (const decision of ["accept", "reject"]) {
      const quote = await ok(tenant.owner.post("/invoicing/quotes", body));
      await ok(tenant.owner.post(`/invoicing/quotes/${quote.id}/issue`, {}));
      await ok(tenant.owner.post(`/invoicing/quotes/${quote.id}/${decision}`, {}));
    }
    expect((await runsOf(tenant.owner)).map(({ trigger_event }) => trigger_event)).to.deep.equal([
      "quote.accepted",
      "quote.rejected",
    ]);
  });
});

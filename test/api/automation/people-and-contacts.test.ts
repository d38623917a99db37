import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { addRule, finished, runsOf } from "./automation-support.ts";

const RULES = ["automation.rule.read", "automation.rule.write", "automation.run.read"];

describe("rules about leave, contacts and contact moments (platform §2.1)", () => {
  let service: TestService;
  let tenant: Tenant;
  let employee: Caller;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    employee = await tenant.member("member");
  });
  after(() => service.stop());

  const ask = async () => {
    const days = { start_date: "2029-09-11", end_date: "2029-09-12" };
    await employee.post("/leave/requests/preview", days);
    const types = (await tenant.owner.get("/leave/types")).body as { id: string; key: string }[];
    const leave_type_id = types.find(({ key }) => key === "vacation_statutory")?.id;
    const { status, body, text } = await employee.post("/leave/requests", { leave_type_id, ...days });
    expect(status, text).to.equal(201);
    return body;
  };
  const create = (title: string) => [{ action_type: "task.create", config: { title } }];
  const reported = async () => (await runsOf(tenant.owner)).map(({ trigger_event, payload }) => [trigger_event, payload]);

  it("act when leave is requested and approved", async () => {
    const conditions = { field: "user_id", op: "eq", value: employee.accountId };
    await addRule(tenant, { trigger_event: "leave.requested", conditions, actions: create("Cover the leave") });
    await addRule(tenant, { trigger_event: "leave.approved", conditions: { field: "status", op: "eq", value: "approved" } });
    const leave = await ask();
    const decided = await tenant.owner.post(`/leave/requests/${leave.id}/decide`, { approved: true });
    expect(decided.status, decided.text).to.equal(200);
    const payload = {
      leave_request_id: leave.id,
      user_id: employee.accountId,
      leave_type_id: leave.leave_type_id,
      start_date: "2029-09-11",
      end_date: "2029-09-12",
      start_time: null,
      end_time: null,
      hours: leave.hours,
    };
    expect((await reported()).map(([event]) => event)).to.deep.equal(["leave.requested", "leave.approved"]);
    for (const [, held] of await reported())
      expect({ ...(held as object), start_time: null, end_time: null }).to.deep.equal(payload);
    const runs = await finished(service, tenant);
    expect(runs.map(({ status, error }) => [status, error])).to.deep.equal([
      ["succeeded", null],
      ["succeeded", null],
    ]);
    expect((await tenant.owner.get("/tasks?q=Cover")).body.total).to.equal(1);
  });

  it("show leave only to those who may see it: runs, a dry run, and who may write such a rule", async () => {
    await addRule(tenant, { trigger_event: "leave.requested" });
    await addRule(tenant, { trigger_event: "task.created" });
    const leave = await ask();
    await tenant.owner.post("/tasks", { title: "Seen" });
    const kinds = async (grants: string[]) => {
      const who = await tenant.member("member", { grants: [...RULES, "tasks.task.read", ...grants] });
      const listed = (await runsOf(who)).map(({ entity_type }) => entity_type);
      const tried = await who.post("/automation/dry-run", { trigger_event: "leave.requested", entity_id: leave.id });
      const actions = [{ action_type: "webhook.post", config: { url: "https://collector.example.com/" } }];
      const saved = await who.post("/automation/rules", { name: "Out", trigger_event: "leave.requested", actions });
      return [listed, tried.body.snapshot_found, saved.status, saved.body.error?.details ?? null];
    };
    expect(await kinds(["leave.request.read:any"])).to.deep.equal([["leave_request", "task"], true, 201, null]);
    const refused = [["task"], false, 403, { trigger_event: "leave.request.read:any" }];
    expect(await kinds(["leave.request.read:own"])).to.deep.equal(refused);
    expect(await kinds([])).to.deep.equal(refused);
    const all = (await tenant.owner.get("/automation/runs?count=true")).body;
    expect(all.items).to.have.length(2);
  });

  it("act when a contact is created, for its client if it has one", async () => {
    const company = await tenant.company({ name: "Bakker" });
    const other = await tenant.company();
    await addRule(tenant, { trigger_event: "contact.created", actions: create("Say hello") });
    const ids: string[] = [];
    for (const company_ids of [[company.id], [company.id, other.id], []]) {
      const sent = { first_name: "Eva", last_name: "de Wit", company_ids };
      const { status, body, text } = await tenant.owner.post("/contacts", sent);
      expect(status, text).to.equal(201);
      ids.push(body.id);
    }
    expect(await reported()).to.deep.equal(ids.map((contact_id) => ["contact.created", { contact_id, title: "Eva de Wit" }]));
    const only = { field: "company_id", op: "eq", value: company.id };
    const tried = await tenant.owner.post("/automation/dry-run", {
      trigger_event: "contact.created",
      conditions: only,
      entity_id: ids[0],
    });
    expect(tried.body).to.include({ matched: true, snapshot_found: true });
    const restricted = await tenant.member("admin");
    await tenant.group("Ours", [company.id], [restricted.membershipId]);
    expect(
      (await runsOf(restricted)).map(({ entity_id }) => entity_id),
      "a contact of one seen client",
    ).to.deep.equal([ids[0]]);
    await finished(service, tenant);
    const { items } = (await tenant.owner.get("/tasks?q=hello")).body;
    const clients = items.map(({ company_id }: { company_id: string | null }) => company_id);
    expect(clients).to.have.members([company.id, null, null]);
  });

  it("act when a contact moment is logged", async () => {
    const company = await tenant.company();
    await addRule(tenant, {
      trigger_event: "interaction.logged",
      conditions: { field: "kind", op: "eq", value: "call" },
      actions: create("Follow up"),
    });
    const sent = { kind: "call", subject: "Phoned", company_id: company.id };
    const { id } = (await tenant.owner.post("/interactions", sent)).body;
    await tenant.owner.patch(`/interactions/${id}`, { subject: "Phoned again" });
    const payload = { interaction_id: id, title: "Phoned", kind: "call", status: "logged", company_id: company.id };
    expect(await reported()).to.deep.equal([["interaction.logged", { ...payload, project_id: null, task_id: null }]]);
    const [run] = await finished(service, tenant);
    expect([run?.status, run?.error]).to.deep.equal(["succeeded", null]);
    expect((await tenant.owner.get("/tasks?q=Follow")).body.items[0].company_id).to.equal(company.id);
  });
});

import { expect } from "chai";
import { MOST_IN_JOB } from "../../../services/automation/runs/run-jobs.ts";
import { settled } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { addRule, addTask, finished, type Run } from "./automation-support.ts";

const moving = (from: string, to: string) => ({
  trigger_event: "task.status_changed",
  conditions: { field: "to", op: "eq", value: from },
  actions: [{ action_type: "task.set_status", config: { status: to } }],
});
const making = (title: string, when = title) => ({
  trigger_event: "task.created",
  conditions: { field: "title", op: "eq", value: when },
  actions: [{ action_type: "task.create", config: { title } }],
});
const shown = (runs: Run[]) => runs.map(({ depth, status, error }) => [depth, status, error]);
const DONE = (depth: number) => [depth, "succeeded", null];
const TOO_DEEP = [3, "skipped", "errors.automation_depth_exceeded"];

describe("automation rules that trigger each other", function () {
  this.timeout(120_000);
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  const titles = async (): Promise<string[]> =>
    (await tenant.owner.get("/tasks?limit=200&sort=created_at")).body.items.map(({ title }: { title: string }) => title);

  it("run for three steps: a person moves a task, and rules move it on", async () => {
    for (const key of ["a", "b", "c", "d", "e"]) await tenant.owner.post("/tasks/statuses", { key, name: key, color: "sky" });
    for (const [from, to] of [
      ["a", "b"],
      ["b", "c"],
      ["c", "d"],
      ["d", "e"],
    ] as const)
      await addRule(tenant, moving(from, to));
    const task = await addTask(tenant);
    await tenant.owner.patch(`/tasks/${task.id}`, { status: "a" });
    const runs = await finished(service, tenant);
    expect(shown(runs)).to.deep.equal([DONE(0), DONE(1), DONE(2), TOO_DEEP]);
    expect(runs.map(({ payload }) => payload["to"])).to.deep.equal(["a", "b", "c", "d"]);
    expect(runs.at(-1)).to.deep.include({ steps: [], started_at: null });
    expect((await tenant.owner.get(`/tasks/${task.id}`)).body.status).to.equal("d");
  });

  it("end after three steps if a rule triggers itself", async () => {
    await addRule(tenant, making("Again"));
    await addTask(tenant, { title: "Again" });
    expect(shown(await finished(service, tenant))).to.deep.equal([DONE(0), DONE(1), DONE(2), TOO_DEEP]);
    expect(await titles()).to.have.length(4);
  });

  it("end after three steps if two rules trigger each other", async () => {
    await addRule(tenant, making("Pong", "Ping"));
    await addRule(tenant, making("Ping", "Pong"));
    await addTask(tenant, { title: "Ping" });
    expect(shown(await finished(service, tenant))).to.deep.equal([DONE(0), DONE(1), DONE(2), TOO_DEEP]);
    expect(await titles()).to.deep.equal(["Ping", "Pong", "Ping", "Pong"]);
  });

  it("end after three steps if a task returns to its status", async () => {
    await addRule(tenant, moving("done", "open"));
    await addRule(tenant, moving("open", "done"));
    const task = await addTask(tenant);
    await tenant.owner.patch(`/tasks/${task.id}`, { status: "done" });
    expect(shown(await finished(service, tenant))).to.deep.equal([DONE(0), DONE(1), DONE(2), TOO_DEEP]);
  });

  it("keep their depth for other events of the same write", async () => {
    const company = await tenant.company();
    const items = [{ title: "Again" }];
    const template = (await tenant.owner.post("/tasks/templates", { name: "Start", items })).body;
    await addRule(tenant, {
      trigger_event: "task.created",
      actions: [{ action_type: "task.create", config: { template_id: template.id } }],
    });
    await addTask(tenant, { company_id: company.id });
    expect(shown(await finished(service, tenant))).to.deep.equal([DONE(0), DONE(1), DONE(2), TOO_DEEP]);
  });

  it("start again at depth 0 with a person's next write", async () => {
    await addRule(tenant, making("Again"));
    await addTask(tenant, { title: "Again" });
    await settled(service);
    await addTask(tenant, { title: "Again" });
    expect(shown((await finished(service, tenant)).slice(4))).to.deep.equal([DONE(0), DONE(1), DONE(2), TOO_DEEP]);
  });

  for (const count of [20, MOST_IN_JOB + 1])
    it(`run in order, ${count} on one event`, async () => {
      const names = Array.from({ length: count }, (_, n) => `${n}`);
      for (const name of names) await addRule(tenant, { ...making(`Task ${name}`, "Start"), name, position: Number(name) });
      await addTask(tenant, { title: "Start" });
      const runs = await finished(service, tenant);
      expect(runs.map(({ rule_name }) => rule_name)).to.deep.equal(names);
      expect(shown(runs)).to.deep.equal(names.map(() => DONE(0)));
      expect(await titles()).to.deep.equal(["Start", ...names.map((name) => `Task ${name}`)]);
      const ends = runs.map(({ finished_at }) => finished_at as string);
      expect(ends).to.deep.equal(ends.toSorted());
    });
});

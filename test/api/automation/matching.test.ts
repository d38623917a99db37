import { expect } from "chai";
import { importSheet } from "../../support/impex.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { addRule, addTask, runsOf } from "./automation-support.ts";

describe("the runs that events trigger", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const reported = async () => (await runsOf(tenant.owner)).map(({ trigger_event, payload }) => [trigger_event, payload]);

  describe("each trigger, with its payload", () => {
    it("tasks", async () => {
      for (const trigger_event of ["task.created", "task.status_changed", "task.assigned"])
        await addRule(tenant, { trigger_event });
      const company = await tenant.company();
      const colleague = await tenant.member("member");
      const task = await addTask(tenant, { title: "Site", company_id: company.id });
      await tenant.owner.patch(`/tasks/${task.id}`, { status: "done", assignee_user_id: colleague.accountId });
      await tenant.owner.patch(`/tasks/${task.id}`, { status: "done", assignee_user_id: colleague.accountId });
      const named = { task_id: task.id, title: "Site" };
      expect(await reported()).to.deep.equal([
        ["task.created", { ...named, status: "open", company_id: company.id, project_id: null }],
        ["task.status_changed", { ...named, from: "open", to: "done", finished: true }],
        ["task.assigned", named],
      ]);
    });

    it("tasks that can begin", async () => {
      await addRule(tenant, { trigger_event: "task.unblocked" });
      const [texts, build] = [await addTask(tenant, { title: "Texts" }), await addTask(tenant, { title: "Build" })];
      await tenant.owner.put(`/tasks/${build.id}/blockers`, { task_ids: [texts.id] });
      await tenant.owner.patch(`/tasks/${texts.id}`, { status: "done" });
      expect(await reported()).to.deep.equal([
        ["task.unblocked", { task_id: build.id, title: "Build", company_id: null, project_id: null }],
      ]);
    });

    it("companies", async () => {
      for (const trigger_event of ["company.created", "company.status_changed"]) await addRule(tenant, { trigger_event });
      const company = await tenant.company({ name: "Bakker", status: "lead" });
      for (const status of ["active", "active"]) await tenant.owner.patch(`/companies/${company.id}`, { status });
      const named = { company_id: company.id, title: "Bakker" };
      expect(await reported()).to.deep.equal([
        ["company.created", { ...named, status: "lead" }],
        ["company.status_changed", { ...named, status: "active", previous_status: "lead", from: "lead", to: "active" }],
      ]);
    });

    it("projects", async () => {
      await addRule(tenant, { trigger_event: "project.status_changed" });
      const company = await tenant.company();
      const project = (await tenant.owner.post("/projects", { name: "Site", company_id: company.id })).body;
      for (const status of ["on_hold", "on_hold"]) await tenant.owner.patch(`/projects/${project.id}`, { status });
      expect(await reported()).to.deep.equal([
        ["project.status_changed", { project_id: project.id, title: "Site", from: "active", to: "on_hold" }],
      ]);
    });

    it("domains and websites", async () => {
      for (const trigger_event of ["domain.status_changed", "website.uptime_toggled"]) await addRule(tenant, { trigger_event });
      const company = await tenant.company();
      const domain = (await tenant.owner.post("/domains", { name: "bakker.nl", company_id: company.id })).body;
      const website = (await tenant.owner.post("/websites", { domain_id: domain.id })).body;
      for (const status of ["parked", "parked"]) await tenant.owner.patch(`/domains/${domain.id}`, { status });
      for (const uptime_enabled of [true, true]) await tenant.owner.patch(`/websites/${website.id}`, { uptime_enabled });
      expect(await reported()).to.deep.equal([
        ["domain.status_changed", { domain_id: domain.id, from: "active", to: "parked" }],
        ["website.uptime_toggled", { website_id: website.id, uptime: true }],
      ]);
    });

    it("an import", async () => {
      await addRule(tenant, { trigger_event: "task.created" });
      const report = await importSheet(tenant.owner, "task", "title,status\nFirst,open\nSecond,open\n");
      expect(report).to.include({ created: 2 });
      expect((await reported()).map(([, payload]) => (payload as { title: string }).title)).to.deep.equal(["First", "Second"]);
    });
  });

  it("have one run for each enabled rule that matches, by position, then by age", async () => {
    const matching = { field: "priority", op: "eq", value: "high" };
    const add = (name: string, position: number, more = {}) =>
      addRule(tenant, { name, position, trigger_event: "task.created", conditions: matching, ...more });
    await add("third", 2);
    await add("first", -2);
    await add("fourth", 2);
    await add("second", 0);
    await add("off", 0, { enabled: false });
    await add("other event", 0, { trigger_event: "task.assigned" });
    await add("not met", 0, { conditions: { any: [] } });
    const task = await addTask(tenant, { title: "Site", priority: "high" });
    await addTask(tenant, { priority: "low" });
    const runs = await runsOf(tenant.owner);
    expect(runs.map(({ rule_name }) => rule_name)).to.deep.equal(["first", "second", "third", "fourth"]);
    for (const run of runs)
      expect(run).to.deep.include({
        entity_type: "task",
        entity_id: task.id,
        trigger_event: "task.created",
        depth: 0,
        steps: [],
        error: null,
      });
  });

  it("compare the record as the write leaves it", async () => {
    const value = (await tenant.company()).id;
    await addRule(tenant, { trigger_event: "task.status_changed", conditions: { field: "company_id", op: "eq", value } });
    const task = await addTask(tenant);
    await tenant.owner.patch(`/tasks/${task.id}`, { status: "done", company_id: value });
    expect(await runsOf(tenant.owner)).to.have.length(1);
  });

  it("roll back with their write", async () => {
    await addRule(tenant, { trigger_event: "task.created" });
    const labels = [tenant.owner.accountId];
    expect((await tenant.owner.post("/tasks", { title: "Refused", label_ids: labels })).status).to.be.within(400, 499);
    expect(await runsOf(tenant.owner)).to.deep.equal([]);
  });

  describe("a repeated change (platform §2.4)", () => {
    const move = (id: string, status: string) => tenant.owner.patch(`/tasks/${id}`, { status });
    const hops = async () => (await runsOf(tenant.owner)).map(({ payload }) => `${payload["from"]} ${payload["to"]}`);

    it("triggers its rule every time, also by a second identical change", async () => {
      await addRule(tenant, { trigger_event: "task.status_changed" });
      const task = await addTask(tenant, { title: "Site" });
      for (const status of ["done", "done", "open", "done"]) await move(task.id, status);
      expect(await hops()).to.deep.equal(["open done", "done open", "open done"]);
      await addRule(tenant, { trigger_event: "website.uptime_toggled" });
      const domain = (await tenant.owner.post("/domains", { name: "bakker.nl", company_id: (await tenant.company()).id })).body;
      const website = (await tenant.owner.post("/websites", { domain_id: domain.id })).body;
      for (const uptime_enabled of [true, false, true]) await tenant.owner.patch(`/websites/${website.id}`, { uptime_enabled });
      expect((await runsOf(tenant.owner)).slice(3).map(({ payload }) => payload["uptime"])).to.deep.equal([true, false, true]);
    });

    it("stores no run for an event that is stored twice", async () => {
      await addRule(tenant, { trigger_event: "task.created" });
      await addTask(tenant);
      const again = `insert into automation_matches (id, organisation_id, trigger_event, entity_type, entity_id, depth, payload, identity,
          run_ids, rule_ids, rule_names)
        select gen_random_uuid(), organisation_id, trigger_event, entity_type, entity_id, depth, payload, identity,
          array[gen_random_uuid()], array[rule_id], array[rule_name] from automation_runs where organisation_id = $1`;
      const [first] = await runsOf(tenant.owner);
      await service.sql.query(again, [tenant.organisation.id]);
      expect(await runsOf(tenant.owner)).to.deep.equal([first]);
    });

    it("runs 20 times within an hour for one rule and record, and later runs are skipped", async () => {
      const rule = await addRule(tenant, { trigger_event: "task.status_changed" });
      const [task, other] = [await addTask(tenant), await addTask(tenant)];
      // The list expands half of them one by one and the others at once; both count towards the limit.
      for (let n = 0; n < 11; n++) {
        await move(task.id, n % 2 ? "open" : "done");
        await runsOf(tenant.owner);
      }
      for (let n = 11; n < 23; n++) await move(task.id, n % 2 ? "open" : "done");
      await move(other.id, "done");
      const skipped = async () => (await runsOf(tenant.owner)).map(({ error }) => error);
      const rate = "errors.automation_rule_rate";
      expect(await skipped()).to.deep.equal([...Array(20).fill(null), rate, rate, rate, null]);
      const ofTask = await runsOf(tenant.owner, `&entity_id=${task.id}&status=skipped`);
      for (const run of ofTask) expect(run).to.deep.include({ rule_id: rule.id, steps: [], started_at: null, error: rate });
      expect(ofTask).to.have.length(3);
      const later = await addRule(tenant, { trigger_event: "task.status_changed" });
      await service.sql.query(
        "update automation_runs set created_at = created_at - interval '59 minutes' where organisation_id = $1",
        [tenant.organisation.id],
      );
      await move(task.id, "open");
      const newest = async () => (await runsOf(tenant.owner)).slice(-2).map(({ rule_id, error }) => [rule_id, error]);
      expect(await newest(), "another rule counts apart").to.deep.equal([
        [rule.id, rate],
        [later.id, null],
      ]);
      await service.sql.query(
        "update automation_runs set created_at = created_at - interval '1 minute' where organisation_id = $1",
        [tenant.organisation.id],
      );
      await move(task.id, "done");
      expect(await newest(), "after an hour").to.deep.equal([
        [rule.id, null],
        [later.id, null],
      ]);
    });

    it("runs as often within an hour when the runs of many hours are stored late", async () => {
      const rule = await addRule(tenant, { trigger_event: "task.status_changed" });
      await service.sql.query(
        `insert into automation_matches (id, organisation_id, created_at, trigger_event, entity_type, entity_id, depth, payload, identity,
           run_ids, rule_ids, rule_names)
         select gen_random_uuid(), $1, now() - make_interval(mins => 2 * n), 'task.status_changed', 'task', $2, 0, '{}', n,
           array[gen_random_uuid()], array[$3::uuid], array['Late'] from generate_series(0, 60) n`,
        [tenant.organisation.id, crypto.randomUUID(), rule.id],
      );
      const stored = (await runsOf(tenant.owner)).map(({ error }) => error);
      const [run, skip] = [Array(20).fill(null), Array(10).fill("errors.automation_rule_rate")];
      expect(stored).to.deep.equal([...run, ...skip, ...run, ...skip, null]);
    });

    it("filters the list of runs by status, record and days in the organisation's time zone", async () => {
      await addRule(tenant, { trigger_event: "task.created" });
      const tasks = [await addTask(tenant), await addTask(tenant)];
      await runsOf(tenant.owner);
      const put = (id: string, at: string) =>
        service.sql.query("update automation_runs set created_at = $2 where entity_id = $1", [id, at]);
      await put(tasks[0].id, "2026-03-09T22:59:59Z");
      await put(tasks[1].id, "2026-03-09T23:00:00Z");
      const listed = async (query: string) =>
        (await runsOf(tenant.owner, query)).map(({ entity_id }) => tasks.findIndex(({ id }) => id === entity_id));
      expect(await listed("&date_to=2026-03-09")).to.deep.equal([0]);
      expect(await listed("&date_from=2026-03-10")).to.deep.equal([1]);
      expect(await listed("&date_from=0001-01-01&date_to=9999-12-31")).to.deep.equal([0, 1]);
      expect(await listed(`&entity_id=${tasks[1].id}`)).to.deep.equal([1]);
      expect(await listed("&status=skipped")).to.deep.equal([]);
      const refused = await tenant.owner.get("/automation/runs?status=done");
      expect([refused.status, Object.keys(refused.body.error.fields)]).to.deep.equal([422, ["status"]]);
    });
  });

  it("exclude the rules of other organisations", async () => {
    const other = await service.tenant();
    await addRule(other, { trigger_event: "task.created" });
    await addTask(tenant);
    expect(await runsOf(other.owner)).to.deep.equal([]);
    expect(await runsOf(tenant.owner)).to.deep.equal([]);
  });

  it("stay listed without their rule after its deletion", async () => {
    const rule = await addRule(tenant, { name: "Short", trigger_event: "task.created" });
    await addTask(tenant);
    expect(await runsOf(tenant.owner, `&rule_id=${rule.id}`)).to.have.length(1);
    await tenant.owner.delete(`/automation/rules/${rule.id}`);
    const [run] = await runsOf(tenant.owner);
    expect(run).to.include({ rule_id: null, rule_name: "Short" });
    expect(await runsOf(tenant.owner, `&rule_id=${rule.id}`)).to.deep.equal([]);
  });

  it("keep the rule's name at the write, even if the rule is renamed and deleted before the first read", async () => {
    const rule = await addRule(tenant, { name: "Short", trigger_event: "task.created" });
    await addTask(tenant);
    await tenant.owner.patch(`/automation/rules/${rule.id}`, { name: "Longer" });
    await tenant.owner.delete(`/automation/rules/${rule.id}`);
    expect((await runsOf(tenant.owner)).map(({ rule_name, rule_id }) => [rule_name, rule_id])).to.deep.equal([["Short", null]]);
  });

  it("are one row at the write, and one row each once they are listed", async () => {
    const rows = async () => {
      const counting = `select (select count(*) from automation_matches where organisation_id = $1)::int as kept,
        (select count(*) from automation_runs where organisation_id = $1)::int as runs`;
      return (await service.sql.query(counting, [tenant.organisation.id])).rows[0];
    };
    for (let n = 0; n < 3; n++) await addRule(tenant, { trigger_event: "task.created" });
    // A run refers to its rule, so no job inserts runs while the rules are locked; the writer does not wait for the lock.
    await service.sql.query("begin");
    try {
      await service.sql.query("select from automation_rules where organisation_id = $1 for update", [tenant.organisation.id]);
      await addTask(tenant);
      expect(await rows()).to.deep.equal({ kept: 1, runs: 0 });
    } finally {
      await service.sql.query("commit");
    }
    const listed = await Promise.all(Array.from({ length: 5 }, () => runsOf(tenant.owner)));
    for (const runs of listed) expect(runs).to.deep.equal(listed[0]).and.to.have.length(3);
    expect(await rows()).to.deep.equal({ kept: 0, runs: 3 });
  });

  it("are all listed, however many matches are stored", async () => {
    await service.sql.query(
      `insert into automation_matches (id, organisation_id, trigger_event, entity_type, entity_id, depth, payload, identity, run_ids, rule_ids,
         rule_names)
       select gen_random_uuid(), $1, 'task.created', 'task', gen_random_uuid(), 0, '{}', n, array[gen_random_uuid()], array[gen_random_uuid()],
         array['Gone'] from generate_series(1, 1200) n`,
      [tenant.organisation.id],
    );
    expect((await tenant.owner.get("/automation/runs?limit=1")).body.total).to.equal(1200);
  });

  it("are listed if the caller sees the client of the record", async () => {
    const [seen, hidden] = [await tenant.company(), await tenant.company({ name: "Verborgen" })];
    for (const trigger_event of ["task.created", "company.status_changed", "website.uptime_toggled"])
      await addRule(tenant, { trigger_event });
    const project = (await tenant.owner.post("/projects", { name: "Theirs", company_id: hidden.id })).body;
    const mine = await addTask(tenant, { company_id: seen.id });
    const nobodys = await addTask(tenant);
    await addTask(tenant, { company_id: hidden.id });
    await addTask(tenant, { project_id: project.id, company_id: null });
    await tenant.owner.patch(`/companies/${hidden.id}`, { status: "archived" });
    const domain = (await tenant.owner.post("/domains", { name: "verborgen.nl", company_id: hidden.id })).body;
    const website = (await tenant.owner.post("/websites", { domain_id: domain.id })).body;
    await tenant.owner.patch(`/websites/${website.id}`, { uptime_enabled: true });
    expect(await runsOf(tenant.owner)).to.have.length(6);
    const restricted = await tenant.member("admin");
    await tenant.group("Ours", [seen.id], [restricted.membershipId]);
    expect((await runsOf(restricted)).map(({ entity_id }) => entity_id)).to.deep.equal([mine.id, nobodys.id]);
    expect((await restricted.get("/automation/runs")).body.total).to.equal(2);
    const client = await tenant.member("client");
    const { rows } = await service.sql.query(
      "insert into roles (organisation_id, key, permissions) values ($1, 'runs', $2) returning id",
      [tenant.organisation.id, ["automation.run.read"]],
    );
    await service.sql.query("insert into membership_roles values ($1, $2, $3)", [
      tenant.organisation.id,
      client.membershipId,
      rows[0].id,
    ]);
    expect(await runsOf(client)).to.deep.equal([]);
    await tenant.group("Theirs", [seen.id], [client.membershipId]);
    expect((await runsOf(client)).map(({ entity_id }) => entity_id)).to.deep.equal([mine.id]);
  });

  it("add the same number of statements to a write, whatever the number of rules and records", async () => {
    const create = async () => {
      const { status, statements } = await tenant.owner.post("/tasks", { title: "Site" });
      expect(status).to.equal(201);
      return statements;
    };
    // The first write makes the organisation's statuses, and the second has the node keep them.
    await create();
    await create();
    const without = await create();
    await addRule(tenant, { trigger_event: "company.created" });
    await create();
    // A rule with another trigger adds no statement.
    expect(await create()).to.equal(without);
    await addRule(tenant, { trigger_event: "task.created" });
    // The first write after a change of rules reads them.
    await create();
    const one = await create();
    for (let n = 0; n < 19; n++) await addRule(tenant, { trigger_event: "task.created" });
    await create();
    expect(await create()).to.equal(one);
    // One to read the record and one to store the runs; their job is stored together with the event.
    expect(one - without).to.equal(2);
    expect(await runsOf(tenant.owner)).to.have.length(42);
  });

  it("follow a change of rules from the next write on", async () => {
    const create = async () => expect((await tenant.owner.post("/tasks", { title: "Site" })).status).to.equal(201);
    const runs = async () => (await runsOf(tenant.owner)).length;
    await create();
    const { id } = await addRule(tenant, { trigger_event: "task.created" });
    await create();
    expect(await runs()).to.equal(1);
    const met = { conditions: { field: "title", op: "eq", value: "Site" } };
    for (const [change, count] of [
      [{ enabled: false }, 1],
      [{ enabled: true }, 2],
      [{ conditions: { field: "title", op: "eq", value: "Elsewhere" } }, 2],
      [met, 3],
      [{ trigger_event: "task.status_changed" }, 3],
      [{ trigger_event: "task.created" }, 4],
    ] as const) {
      const { status, text } = await tenant.owner.patch(`/automation/rules/${id}`, change);
      expect(status, text).to.equal(200);
      await create();
      expect(await runs(), JSON.stringify(change)).to.equal(count);
    }
    expect((await tenant.owner.delete(`/automation/rules/${id}`)).status).to.equal(204);
    await create();
    expect(await runs()).to.equal(4);
  });
});

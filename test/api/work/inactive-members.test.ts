import { expect } from "chai";
import { sendSheet } from "../../support/impex.ts";
import { given, mcpClient } from "../../support/mcp.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { finished } from "../automation/automation-support.ts";
import { rowsAbout } from "../notifications/inbox-records.ts";
import { type Body, bodyOf, expectRefusal, makeProject, makeTask, rosterOf } from "./tasks/task-records.ts";

const star = ({ accountId: user_id }: Caller) => ({ assignees: [{ user_id, is_primary: true }] });

describe("a colleague who is inactive", () => {
  let service: TestService;
  let tenant: Tenant;
  let owner: Caller;
  let gone: Caller;
  let next: Caller;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    ({ owner } = tenant);
    [gone, next] = [await tenant.member("member", { name: "Gone" }), await tenant.member("member", { name: "Next" })];
  });

  const deactivate = async ({ membershipId }: Caller) =>
    bodyOf(await owner.patch(`/members/${membershipId}/account`, { active: false }));
  const refuses = (field: string) => ({ [field]: "errors.inactive_member" });
  const both = () => ({ assignees: [...star(gone).assignees, { user_id: next.accountId }] });
  /** Who hears that a new record has no assignee. */
  const hearers = async (id: string) =>
    (await rowsAbout(service, id))
      .filter(({ event_type }) => event_type.endsWith(".left_unassigned"))
      .map(({ account_id }) => account_id);

  describe("is refused as a hand-off on purpose", () => {
    interface Place {
      company: string;
      project: string;
      task: string;
      template: string;
    }
    const call =
      (method: "post" | "patch", path: (place: Place) => string, body: (person: string, place: Place) => object) =>
      (place: Place) =>
        owner[method](path(place), body(gone.accountId, place));
    const one = (user_id: string) => ({ assignees: [{ user_id }] });
    const draft = (action_type: string, config: object) => ({
      trigger_event: "task.created",
      actions: [{ action_type, config }],
    });
    const rule = (action_type: string, config: object) => ({ name: "Rule", ...draft(action_type, config) });
    const plan = (user_id: string) => ({ freq: "daily", plan: { user_id, start_time: "09:00", duration_minutes: 30 } });
    const block = { day: "2030-01-07", start_time: "09:00", duration_minutes: 30 };
    const DOORS: [door: string, send: ReturnType<typeof call>, field: string][] = [
      [
        "POST /companies, the roster",
        call(
          "post",
          () => "/companies",
          (id) => ({ name: "A", ...one(id) }),
        ),
        "assignees",
      ],
      [
        "POST /companies, the star",
        call(
          "post",
          () => "/companies",
          (id) => ({ name: "A", responsible_user_id: id }),
        ),
        "responsible_user_id",
      ],
      ["PATCH /companies/{id}, the roster", call("patch", ({ company }) => `/companies/${company}`, one), "assignees"],
      [
        "PATCH /companies/{id}, the star",
        call(
          "patch",
          ({ company }) => `/companies/${company}`,
          (id) => ({ responsible_user_id: id }),
        ),
        "responsible_user_id",
      ],
      [
        "POST /projects, the roster",
        call(
          "post",
          () => "/projects",
          (id, { company }) => ({ name: "A", company_id: company, ...one(id) }),
        ),
        "assignees",
      ],
      [
        "POST /projects, the star",
        call(
          "post",
          () => "/projects",
          (id, { company }) => ({ name: "A", company_id: company, responsible_user_id: id }),
        ),
        "responsible_user_id",
      ],
      ["PATCH /projects/{id}, the roster", call("patch", ({ project }) => `/projects/${project}`, one), "assignees"],
      [
        "PATCH /projects/{id}, the star",
        call(
          "patch",
          ({ project }) => `/projects/${project}`,
          (id) => ({ responsible_user_id: id }),
        ),
        "responsible_user_id",
      ],
      [
        "POST /tasks, the roster",
        call(
          "post",
          () => "/tasks",
          (id) => ({ title: "A", ...one(id) }),
        ),
        "assignees",
      ],
      [
        "POST /tasks, the person",
        call(
          "post",
          () => "/tasks",
          (id) => ({ title: "A", assignee_user_id: id }),
        ),
        "assignee_user_id",
      ],
      ["PATCH /tasks/{id}, the roster", call("patch", ({ task }) => `/tasks/${task}`, one), "assignees"],
      [
        "PATCH /tasks/{id}, the person",
        call(
          "patch",
          ({ task }) => `/tasks/${task}`,
          (id) => ({ assignee_user_id: id }),
        ),
        "assignee_user_id",
      ],
      [
        "POST /bulk/task/update",
        call(
          "post",
          () => "/bulk/task/update",
          (id, { task }) => ({ ids: [task], values: { assignee: id } }),
        ),
        "assignee",
      ],
      [
        "POST /tasks/templates",
        call(
          "post",
          () => "/tasks/templates",
          (id) => ({ name: "A", items: [{ title: "A", assignee_user_id: id }] }),
        ),
        "items",
      ],
      [
        "PATCH /tasks/templates/{id}",
        call(
          "patch",
          ({ template }) => `/tasks/templates/${template}`,
          (id) => ({ items: [{ title: "A", assignee_user_id: id }] }),
        ),
        "items",
      ],
      [
        "a series' plan, POST /tasks",
        call(
          "post",
          () => "/tasks",
          (id) => ({ title: "A", recurrence: plan(id) }),
        ),
        "recurrence",
      ],
      [
        "a series' plan, PATCH /tasks/{id}",
        call(
          "patch",
          ({ task }) => `/tasks/${task}`,
          (id) => ({ recurrence: plan(id) }),
        ),
        "recurrence",
      ],
      [
        "a planned block",
        call(
          "post",
          () => "/tasks/schedules",
          (id, { task }) => ({ task_id: task, user_id: id, ...block }),
        ),
        "user_id",
      ],
      [
        "a rule that adds a task",
        call(
          "post",
          () => "/automation/rules",
          (id) => rule("task.create", { title: "A", assignee_user_id: id }),
        ),
        "actions",
      ],
      [
        "a rule that assigns a task",
        call(
          "post",
          () => "/automation/rules",
          (id) => rule("task.assign", { user_id: id }),
        ),
        "actions",
      ],
      [
        "a dry run of such a rule",
        call(
          "post",
          () => "/automation/dry-run",
          (id, { task }) => ({ ...draft("task.assign", { user_id: id }), entity_id: task }),
        ),
        "actions",
      ],
    ];

    let place: Place;
    beforeEach(async () => {
      const { id: company } = await tenant.company();
      place = {
        company,
        project: await makeProject(owner, { company_id: company }),
        task: (await makeTask(owner)).id,
        template: bodyOf(await owner.post("/tasks/templates", { name: "Empty" })).id,
      };
      await deactivate(gone);
    });

    for (const [door, send, field] of DOORS)
      it(`by ${door}`, async () => expectRefusal(await send(place), 422, "validation", refuses(field)));

    it("by an import of tasks and of projects, under the column that names the person", async () => {
      const errors = async (kind: string, content: string) => (await sendSheet(owner, kind, content)).body.errors;
      for (const [kind, content] of [
        ["task", `title,responsible\nBellen,${gone.email}\n`],
        ["project", `name,company,responsible\nSite,${place.company},${gone.email}\n`],
      ] as const)
        expect(
          (await errors(kind, content)).map(({ column, error }: Body) => [column, error]),
          kind,
        ).to.deep.equal([["responsible", "errors.inactive_member"]]);
    });

    it("by an assistant over MCP", async () => {
      const client = await mcpClient(service.port, { host: tenant.host, key: owner.key });
      const body = { title: "A", assignee_user_id: gone.accountId };
      const answer = await client.callTool({ name: "call_tool", arguments: { operation: "tasksCreate", arguments: { body } } });
      await client.close();
      expect(answer.isError).to.equal(true);
      expect(given(answer as never).error.fields).to.deep.equal(refuses("assignee_user_id"));
    });

    it("and nothing of a refused hand-off is written", async () => {
      for (const [, send] of DOORS) await send(place);
      const { rows } = await service.sql.query(
        `select (select count(*) from tasks where organisation_id = $1)::int as tasks, (select count(*) from companies where organisation_id = $1)::int as companies,
          (select count(*) from automation_rules where organisation_id = $1)::int as rules, (select count(*) from task_schedules where organisation_id = $1)::int as blocks,
          (select count(*) from task_assignees where organisation_id = $1)::int as assigned`,
        [tenant.organisation.id],
      );
      expect(rows[0]).to.deep.equal({ tasks: 1, companies: 1, rules: 0, blocks: 0, assigned: 0 });
    });
  });

  it("stays on old rosters, and through other changes of them", async () => {
    const task = await makeTask(owner, both());
    const company = await tenant.company(both());
    const template = bodyOf(
      await owner.post("/tasks/templates", { name: "T", items: [{ title: "A", assignee_user_id: gone.accountId }] }),
    );
    await deactivate(gone);
    const more = { assignees: [...both().assignees, { user_id: owner.accountId }] };
    expect(bodyOf(await owner.patch(`/tasks/${task.id}`, more)).assignees).to.deep.equal(rosterOf(gone, next, owner));
    expect(bodyOf(await owner.patch(`/companies/${company.id}`, more)).assignees).to.deep.equal(rosterOf(gone, next, owner));
    const items = [{ title: "B", assignee_user_id: gone.accountId }];
    expect(bodyOf(await owner.patch(`/tasks/templates/${template.id}`, { items })).items[0].title).to.equal("B");
  });

  describe("inherits nothing", () => {
    it("by the star of a client or a project: the next one on its roster does", async () => {
      const { id: company_id } = await tenant.company(both());
      const other = await tenant.member("member");
      const project_id = await makeProject(owner, { company_id, ...star(gone), name: "Alone" });
      const team = await makeProject(owner, { company_id, assignees: [...star(gone).assignees, { user_id: other.accountId }] });
      await deactivate(gone);
      expect((await makeTask(owner, { company_id })).assignees).to.deep.equal(rosterOf(next));
      expect((await makeTask(owner, { company_id, project_id: team })).assignees).to.deep.equal(rosterOf(other));
      expect((await makeTask(owner, { company_id, project_id })).assignees).to.deep.equal(rosterOf(next));
      const made = await makeProject(owner, { company_id });
      expect(bodyOf(await owner.get(`/projects/${made}`)).assignees).to.deep.equal(rosterOf(next));
    });

    it("where it was the only one: the work is unassigned, and the owners are notified once", async () => {
      const { id: company_id } = await tenant.company(star(gone));
      const admin = await tenant.member("admin");
      await deactivate(gone);
      const task = bodyOf(await admin.post("/tasks", { title: "A", company_id }));
      const project = bodyOf(await admin.post("/projects", { name: "A", company_id }));
      for (const { id, assignees } of [task, project]) {
        expect(assignees).to.deep.equal([]);
        expect(await hearers(id)).to.deep.equal([owner.accountId]);
      }
    });

    it("by a template: the client's next one does, else the client's responsible is notified", async () => {
      const items = [
        { title: "Own", assignee_user_id: gone.accountId },
        { title: "Star", assign_responsible: true },
      ];
      const { id } = bodyOf(await owner.post("/tasks/templates", { name: "T", items }));
      const [first, second, bare] = [await tenant.company(both()), await tenant.company(star(next)), await tenant.company()];
      await deactivate(gone);
      const of = async (company_id: string): Promise<Body[]> =>
        bodyOf(await owner.post(`/tasks/templates/${id}/apply`, { company_id }));
      const [own, starred] = await of(first.id);
      expect([own.assignees, starred.assignees]).to.deep.equal([[], rosterOf(next)]);
      const [alone] = await of(second.id);
      expect([alone.assignees, await hearers(alone.id)]).to.deep.equal([[], [next.accountId]]);
      expect((await of(bare.id)).map(({ assignees }) => assignees)).to.deep.equal([[], []]);
    });

    it("by the status of a client whose template names it, in single and in bulk", async () => {
      const items = [{ title: "Own", assignee_user_id: gone.accountId }];
      await owner.post("/tasks/templates", { name: "T", trigger: "company_status", trigger_status: "onboarding", items });
      const [one, many] = [await tenant.company({ status: "lead" }), await tenant.company({ status: "lead" })];
      await deactivate(gone);
      bodyOf(await owner.patch(`/companies/${one.id}`, { status: "onboarding" }));
      bodyOf(await owner.post("/bulk/company/update", { ids: [many.id], values: { status: "onboarding" } }));
      for (const { id } of [one, many]) {
        const { items: tasks } = bodyOf(await owner.get(`/tasks?company_id=${id}`));
        expect(tasks.map(({ assignees }: Body) => assignees)).to.deep.equal([[]]);
      }
    });

    it("by the next occurrence of a series, nor its planned block", async () => {
      const recurrence = { freq: "daily", plan: { user_id: gone.accountId, start_time: "09:00", duration_minutes: 30 } };
      const team = await makeTask(owner, { ...both(), recurrence });
      const alone = await makeTask(owner, { ...star(gone), title: "Alone", recurrence: { freq: "daily" } });
      const admin = await tenant.member("admin");
      await deactivate(gone);
      for (const { id } of [team, alone]) bodyOf(await admin.patch(`/tasks/${id}`, { status: "done" }));
      const open: Body[] = bodyOf(await owner.get("/tasks?status=open&sort=created_at")).items;
      expect(open.map(({ assignees }) => assignees)).to.deep.equal([rosterOf(next), []]);
      expect(open[0].recurrence.plan.user_id).to.equal(null);
      const blocks: Body[] = bodyOf(await owner.get(`/tasks/schedules?task_id=${open[0].id}`));
      expect(blocks.map(({ user_id }) => user_id)).to.deep.equal([next.accountId]);
      expect(await hearers(open[1].id)).to.deep.equal([owner.accountId]);
    });

    it("by a rule: a new task goes on without it, a task is not assigned to it, a message that reaches nobody fails", async () => {
      const { id: company_id } = await tenant.company(star(next));
      const add = async (action_type: string, config: object) =>
        bodyOf(
          await owner.post("/automation/rules", {
            name: action_type,
            trigger_event: "task.created",
            actions: [{ action_type, config }],
          }),
        );
      const conditions = { field: "title", op: "eq", value: "Cause" };
      for (const [action_type, config] of [
        ["task.create", { title: "Made", assignee_user_id: gone.accountId }],
        ["task.assign", { user_id: gone.accountId }],
        ["notification.send", { message: "x", user_ids: [gone.accountId] }],
      ] as const) {
        const { id } = await add(action_type, config);
        bodyOf(await owner.patch(`/automation/rules/${id}`, { conditions }));
      }
      await deactivate(gone);
      const cause = await makeTask(owner, { title: "Cause", company_id });
      const runs = await finished(service, tenant);
      expect(runs.map(({ rule_name, status, error }) => [rule_name, status, error])).to.have.deep.members([
        ["task.create", "succeeded", null],
        ["task.assign", "failed", "errors.inactive_member"],
        ["notification.send", "failed", "errors.automation_no_recipient"],
      ]);
      const made = bodyOf(await owner.get("/tasks?q=Made")).items[0];
      expect(made.assignees).to.deep.equal(rosterOf(next));
      expect(bodyOf(await owner.get(`/tasks/${cause.id}`)).assignees).to.deep.equal(rosterOf(next));
    });

    it("by a rule, after it has left for good", async () => {
      const conditions = { field: "title", op: "eq", value: "Cause" };
      const actions = [{ action_type: "task.create", config: { title: "Made", assignee_user_id: gone.accountId } }];
      await owner.post("/automation/rules", { name: "Add", trigger_event: "task.created", conditions, actions });
      const message = { message: "x", user_ids: [gone.accountId] };
      await owner.post("/automation/rules", {
        name: "Tell",
        trigger_event: "task.created",
        conditions,
        actions: [{ action_type: "notification.send", config: message }],
      });
      expect((await owner.delete(`/members/${gone.membershipId}`)).status).to.equal(204);
      await makeTask(owner, { title: "Cause" });
      expect((await finished(service, tenant)).map(({ rule_name, error }) => [rule_name, error])).to.have.deep.members([
        ["Add", null],
        ["Tell", "errors.automation_no_recipient"],
      ]);
      const made = bodyOf(await owner.get("/tasks?q=Made")).items[0];
      expect([made.assignees, await hearers(made.id)]).to.deep.equal([[], [owner.accountId]]);
    });
  });

  it("leaves a message of a rule to those whom it reaches: active, and with sight of the client", async () => {
    const { id: company_id } = await tenant.company();
    const blind = await tenant.member("member", { name: "Blind" });
    await tenant.group("Others", [(await tenant.company()).id], [blind.membershipId]);
    const send = (name: string, people: Caller[]) =>
      owner.post("/automation/rules", {
        name,
        trigger_event: "task.created",
        actions: [
          { action_type: "notification.send", config: { message: "x", user_ids: people.map(({ accountId }) => accountId) } },
        ],
      });
    await send("some", [gone, next, blind]);
    await send("none", [gone, blind]);
    await deactivate(gone);
    await makeTask(owner, { title: "Cause", company_id, assignees: [] });
    const runs = await finished(service, tenant);
    const of = (name: string) => runs.find(({ rule_name }) => rule_name === name);
    expect(of("some")?.steps[0]?.result).to.deep.equal({ user_ids: [next.accountId] });
    expect(of("none")).to.include({ status: "failed", error: "errors.automation_no_recipient" });
  });
});

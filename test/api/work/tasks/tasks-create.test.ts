import { expect } from "chai";
import { eventsAbout } from "../../../support/answers.ts";
import type { Caller, Tenant } from "../../../support/service.ts";
import {
  type Body,
  bodyOf,
  expectRefusal,
  linesOf,
  makeContact,
  makeProject,
  makeStatus,
  makeTask,
  rosterOf,
  sharedTaskService,
  type TaskService,
} from "./task-records.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

describe("POST /tasks", () => {
  let service: TaskService;
  let tenant: Tenant;
  let anna: Caller;
  let bart: Caller;
  before(async () => {
    service = await sharedTaskService("2026-03-10");
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    anna = await tenant.member("member", { name: "Anna" });
    bart = await tenant.member("member", { name: "Bart" });
  });
  after(() => service.stop());

  const create = (body: object, caller = tenant.owner) => caller.post("/tasks", { title: "Call back", ...body });
  const star = (caller: Caller) => ({ assignees: [{ user_id: caller.accountId }] });

  it("makes a task of a title alone", async () => {
    const body = await makeTask(tenant.owner, { title: "Call back" });
    const { id, created_at, updated_at, ...task } = body;
    expect(task).to.deep.equal({
      org_id: tenant.organisation.id,
      company_id: null,
      project_id: null,
      title: "Call back",
      unnamed: false,
      description: null,
      status: "open",
      priority: "normal",
      due_date: null,
      assignee_user_id: null,
      assignees: [],
      assignee_contact_id: null,
      allocated_minutes: null,
      logged_minutes: null,
      remaining_minutes: null,
      position: 1024,
      completed_at: null,
      requires_interaction: false,
      closing_interaction_id: null,
      visible_to_client: false,
      recurrence: null,
      recurrence_next_run: null,
      ai_status: null,
    });
  });

  it("puts each behind all others", async () => {
    const first = await makeTask(tenant.owner);
    await tenant.owner.patch(`/tasks/${first.id}`, { position: 5000.5 });
    expect((await makeTask(tenant.owner)).position).to.equal(6024.5);
  });

  it("gives behind the farthest position only those that an update takes", async () => {
    const first = await makeTask(tenant.owner, { title: "0" });
    const move = (id: string, position: number) => tenant.owner.patch(`/tasks/${id}`, { position });
    bodyOf(await move(first.id, 1e12));
    const [one, two, three] = [await makeTask(tenant.owner), await makeTask(tenant.owner), await makeTask(tenant.owner)];
    expect([one, two, three].map(({ position }) => position)).to.deep.equal([1e12 + 1024, 1e12 + 2048, 1e12 + 3072]);
    for (const { id, position } of [one, two, three]) expect(bodyOf(await move(id, position)).position).to.equal(position);
    expect(bodyOf(await move(first.id, 1e12 + 2500)).position).to.equal(1e12 + 2500);
    for (const position of [1e12 + 3073, 2 ** 53, 1e308])
      expectRefusal(await move(two.id, position), 422, "validation", { position: "errors.validation" });
    const order = bodyOf(await tenant.owner.get("/tasks")).items.map(({ id }: Body) => id);
    expect(order).to.deep.equal([one.id, two.id, first.id, three.id]);
  });

  it("strips HTML from the description and keeps markdown; a blank one is null", async () => {
    const description = "**Call** <script>alert(1)</script><b>now</b>";
    const made = await makeTask(tenant.owner, { description });
    expect(made.description).to.equal("**Call** now");
    expect((await makeTask(tenant.owner, { description: made.description })).description).to.equal(made.description);
    expect((await makeTask(tenant.owner, { description: " " })).description).to.equal(null);
  });

  describe("references", () => {
    it("answers 404 for a client or project that is not there, another organisation's, or outside the selection", async () => {
      const other = await service.tenant();
      const foreign = await other.company();
      for (const company_id of [UNKNOWN, foreign.id]) expectRefusal(await create({ company_id }), 404, "not_found");
      const theirs = await makeProject(other.owner, { company_id: foreign.id });
      for (const project_id of [UNKNOWN, theirs]) expectRefusal(await create({ project_id }), 404, "not_found");
      const hidden = await tenant.company();
      await tenant.group("Seen", [(await tenant.company()).id], [anna.membershipId]);
      expectRefusal(await create({ company_id: hidden.id }, anna), 404, "not_found");
      const project_id = await makeProject(tenant.owner, { company_id: hidden.id });
      expectRefusal(await create({ project_id }, anna), 404, "not_found");
    });

    it("does not tie the client of a task to its project's", async () => {
      const [one, two] = [await tenant.company(), await tenant.company()];
      const project_id = await makeProject(tenant.owner, { company_id: one.id });
      expect(await makeTask(tenant.owner, { company_id: two.id, project_id })).to.include({ company_id: two.id, project_id });
    });
  });

  describe("roster", () => {
    it("takes assignees, the first starred unless another is, each person once", async () => {
      const [a, b] = [anna.accountId, bart.accountId];
      expect((await makeTask(tenant.owner, { assignees: [{ user_id: a }, { user_id: b }] })).assignees).to.deep.equal(
        rosterOf(a, b),
      );
      const twice = [{ user_id: a }, { user_id: b, is_primary: true }, { user_id: a }];
      const made = await makeTask(tenant.owner, { assignees: twice });
      expect([made.assignees, made.assignee_user_id]).to.deep.equal([rosterOf(b, a), b]);
    });

    it("takes assignee_user_id, and assignees before it", async () => {
      expect((await makeTask(tenant.owner, { assignee_user_id: anna.accountId })).assignees).to.deep.equal(rosterOf(anna));
      expect((await makeTask(tenant.owner, { assignee_user_id: anna.accountId, ...star(bart) })).assignees).to.deep.equal(
        rosterOf(bart),
      );
    });

    it("refuses two stars, and non-members", async () => {
      const both = [anna, bart].map(({ accountId }) => ({ user_id: accountId, is_primary: true }));
      expectRefusal(await create({ assignees: both }), 400, "multiple_primary_assignees");
      const stranger = (await service.tenant()).owner.accountId;
      for (const user_id of [UNKNOWN, stranger]) {
        expectRefusal(await create({ assignees: [{ user_id }] }), 400, "invalid_assignee");
        expectRefusal(await create({ assignee_user_id: user_id }), 400, "invalid_assignee");
      }
    });

    it("inherits the starred employee of the project, else of the client, and never the whole roster", async () => {
      const both = { assignees: [{ user_id: anna.accountId }, { user_id: bart.accountId, is_primary: true }] };
      const company = await tenant.company(both);
      expect((await makeTask(tenant.owner, { company_id: company.id })).assignees).to.deep.equal(rosterOf(bart));
      const project_id = await makeProject(tenant.owner, { company_id: company.id, ...star(anna) });
      expect((await makeTask(tenant.owner, { company_id: company.id, project_id })).assignees).to.deep.equal(rosterOf(anna));
      const bare = await makeProject(tenant.owner, { company_id: company.id, assignees: [] });
      expect((await makeTask(tenant.owner, { company_id: company.id, project_id: bare })).assignees).to.deep.equal(
        rosterOf(bart),
      );
    });

    it("inherits no person if assignees is empty, and no former member", async () => {
      const { id: company_id } = await tenant.company(star(anna));
      expect((await makeTask(tenant.owner, { company_id, assignees: [] })).assignees).to.deep.equal([]);
      await service.sql.query("delete from memberships where id = $1", [anna.membershipId]);
      expect((await makeTask(tenant.owner, { company_id })).assignees).to.deep.equal([]);
    });
  });

  describe("contact assignee", () => {
    it("takes a contact of the task's own client, and then inherits no one", async () => {
      const { id: company_id } = await tenant.company(star(anna));
      const assignee_contact_id = await makeContact(tenant.owner, [company_id]);
      const made = await makeTask(tenant.owner, { company_id, assignee_contact_id });
      expect([made.assignee_contact_id, made.assignees]).to.deep.equal([assignee_contact_id, []]);
    });

    it("refuses a contact together with anyone on the roster", async () => {
      const { id: company_id } = await tenant.company();
      const assignee_contact_id = await makeContact(tenant.owner, [company_id]);
      for (const body of [star(anna), { assignee_user_id: anna.accountId }])
        expectRefusal(await create({ company_id, assignee_contact_id, ...body }), 422, "validation", {
          assignee_contact_id: "errors.tasks_assignee_conflict",
        });
    });

    it("refuses a contact without a client, of another client, and of another organisation", async () => {
      const [company, other] = [await tenant.company(), await tenant.company()];
      const theirs = await service.tenant();
      const foreign = await makeContact(theirs.owner, [(await theirs.company()).id]);
      const contact = await makeContact(tenant.owner, [company.id]);
      const fields = { assignee_contact_id: "errors.tasks_assignee_contact_company" };
      for (const [assignee_contact_id, company_id] of [
        [contact, null],
        [contact, other.id],
        [foreign, company.id],
        [UNKNOWN, company.id],
      ])
        expectRefusal(await create({ assignee_contact_id, company_id }), 422, "validation", fields);
    });
  });

  describe("status", () => {
    it("refuses a key that is not configured", async () => {
      expectRefusal(await create({ status: "nowhere" }), 422, "validation", { status: "errors.validation" });
    });

    it("stamps one that is made finished", async () => {
      expect(await makeTask(tenant.owner, { status: "done" })).to.include({
        status: "done",
        completed_at: "2026-03-10T12:00:00+00:00",
      });
    });

    it("refuses to begin where a contact moment is required", async () => {
      await makeStatus(tenant, { requires_interaction: true });
      const fields = { status: "errors.tasks_closing_interaction_required" };
      expectRefusal(await create({ status: "review" }), 422, "validation", fields);
      expectRefusal(await create({ status: "done", requires_interaction: true }), 422, "validation", fields);
    });
  });

  describe("parts", () => {
    const detail = async (id: string): Promise<Body> => bodyOf(await tenant.owner.get(`/tasks/${id}`));

    it("writes checklist, links and labels with the task", async () => {
      const label = bodyOf(await tenant.owner.post("/tasks/labels", { name: "urgent", color: "red" }));
      const { id } = await makeTask(tenant.owner, {
        checklist: { title: "Steps", items: [{ title: "One", description: "first" }, { title: "Two" }] },
        links: [{ url: "example.test/a", title: "A" }, { url: "http://example.test/b" }],
        label_ids: [label.id],
      });
      const task = await detail(id);
      expect(task.checklists).to.have.length(1);
      expect(task.checklists[0]).to.include({ title: "Steps", position: 0 });
      expect(task.checklists[0].items.map(({ id: _id, ...item }: Body) => item)).to.deep.equal([
        { title: "One", description: "first", done: false, position: 0 },
        { title: "Two", description: null, done: false, position: 1 },
      ]);
      expect(task.links.map(({ url, title }: Body) => [url, title])).to.deep.equal([
        ["https://example.test/a", "A"],
        ["http://example.test/b", null],
      ]);
      expect(task.labels).to.deep.equal([label]);
      expect(await linesOf(service, id)).to.deep.equal([
        ["created", {}],
        ["checklist_created", { title: "Steps" }],
      ]);
    });

    it("names a checklist without a title after the task, cut to 255; one without title and items is not created", async () => {
      const title = `${"é".repeat(300)}`;
      const { id } = await makeTask(tenant.owner, { title, checklist: { items: [{ title: "One" }] } });
      expect((await detail(id)).checklists[0].title).to.equal("é".repeat(255));
      const bare = await makeTask(tenant.owner, { checklist: {} });
      expect((await detail(bare.id)).checklists).to.deep.equal([]);
    });

    it("refuses the whole create with a part", async () => {
      expectRefusal(await create({ links: [{ url: "javascript:alert(1)" }] }), 422, "validation", {
        url: "errors.validation",
      });
      expectRefusal(await create({ label_ids: [UNKNOWN] }), 404, "not_found");
      expectRefusal(await create({ links: Array.from({ length: 11 }, () => ({ url: "a.test" })) }), 422, "validation", {
        links: "errors.validation",
      });
      expect(bodyOf(await tenant.owner.get("/tasks")).total).to.equal(0);
    });

    it("needs write access to the new task: of :own, to be on its roster", async () => {
      const parts = { checklist: { title: "Steps" } };
      expectRefusal(await create(parts, anna), 403, "forbidden");
      expectRefusal(await create({ ...parts, ...star(bart) }, anna), 403, "forbidden");
      expect((await create({ ...parts, ...star(anna) }, anna)).status).to.equal(201);
      const maker = await tenant.member("member", { grants: ["tasks.task.read", "tasks.task.create"] });
      expectRefusal(await create({ ...parts, ...star(maker) }, maker), 403, "forbidden");
      expect((await create({}, maker)).status).to.equal(201);
      expect(bodyOf(await tenant.owner.get("/tasks")).total).to.equal(2);
    });
  });

  it("notifies the whole roster, and emits the task's own event", async () => {
    const { id: company_id } = await tenant.company();
    const assignees = [{ user_id: anna.accountId }, { user_id: bart.accountId }];
    const { id } = await makeTask(tenant.owner, { title: "Call back", company_id, assignees });
    expect(await eventsAbout(service, id)).to.deep.equal([
      { event: "task.created", payload: { task_id: id, title: "Call back", status: "open", company_id, project_id: null } },
      { event: "task.assigned", payload: { task_id: id, title: "Call back", recipients: [anna.accountId, bart.accountId] } },
    ]);
    const alone = await makeTask(tenant.owner);
    expect((await eventsAbout(service, alone.id)).map(({ event }) => event)).to.deep.equal(["task.created"]);
  });

  it("is refused to those who only read", async () => {
    expectRefusal(await create({}, await tenant.member("client")), 403, "forbidden");
  });

  it("names the errors of a title", async () => {
    for (const title of ["", "x".repeat(513), null, 7]) expect((await create({ title })).body.error.fields).to.have.key("title");
    expectRefusal(await tenant.owner.post("/tasks", {}), 422, "validation", { title: "errors.required" });
  });
});

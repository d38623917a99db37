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
  makeTask,
  rosterOf,
  sharedTaskService,
  type TaskService,
} from "./task-records.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

describe("PATCH /tasks/{task_id}", () => {
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

  const patch = (id: string, body: object, caller = tenant.owner) => caller.patch(`/tasks/${id}`, body);
  const linesAfter = async (id: string) => (await linesOf(service, id)).slice(1);

  it("changes only the sent fields", async () => {
    const task = await makeTask(tenant.owner, { description: "n", due_date: "2026-04-01", allocated_minutes: 60 });
    const changed = bodyOf(await patch(task.id, { priority: "high" }));
    expect(changed).to.deep.equal({ ...task, priority: "high", updated_at: changed.updated_at });
  });

  it("clears by null what may be empty, and refuses null for the rest", async () => {
    const { id: company_id } = await tenant.company();
    const project_id = await makeProject(tenant.owner, { company_id });
    const full = { description: "n", due_date: "2026-04-01", allocated_minutes: 60, company_id, project_id };
    const { id } = await makeTask(tenant.owner, { ...full, recurrence: { freq: "daily" } });
    const empty = Object.fromEntries([...Object.keys(full), "recurrence"].map((field) => [field, null]));
    expect(bodyOf(await patch(id, empty))).to.include(empty);
    for (const field of ["title", "status", "priority", "position", "requires_interaction", "visible_to_client"])
      expectRefusal(await patch(id, { [field]: null }), 422, "validation", { [field]: "errors.validation" });
  });

  it("accepts a position between two others, and none so far out that the next task would share it", async () => {
    const { id } = await makeTask(tenant.owner);
    for (const position of [1e308, -1e308, 1.1e12])
      expectRefusal(await patch(id, { position }), 422, "validation", { position: "errors.validation" });
    expect(bodyOf(await patch(id, { position: 1e12 })).position).to.equal(1e12);
    expect((await makeTask(tenant.owner)).position).to.equal(1e12 + 1024);
    expect((await makeTask(tenant.owner)).position).to.equal(1e12 + 2048);
  });

  it("leaves no trace of an update that changes nothing", async () => {
    const task = await makeTask(tenant.owner, { due_date: "2026-04-01", assignee_user_id: anna.accountId });
    const same = { title: task.title, status: "open", due_date: "2026-04-01", assignees: [{ user_id: anna.accountId }] };
    expect(bodyOf(await patch(task.id, same))).to.deep.equal(task);
    expect(await linesAfter(task.id)).to.deep.equal([]);
  });

  it("clears the mark of a placeholder with the first title, and with nothing else", async () => {
    const { id } = await makeTask(tenant.owner, { unnamed: true });
    expect(bodyOf(await patch(id, { description: "n", unnamed: false })).unnamed).to.equal(true);
    expect(bodyOf(await patch(id, { title: "Write the letter" })).unnamed).to.equal(false);
    expect(bodyOf(await patch(id, { title: "Other", unnamed: true })).unnamed).to.equal(false);
  });

  it("names the fields that changed in the trail, and never the position", async () => {
    const { id: company_id } = await tenant.company();
    const project_id = await makeProject(tenant.owner, { company_id });
    const { id } = await makeTask(tenant.owner);
    const sent = {
      title: "Other",
      description: "n",
      priority: "low",
      due_date: "2026-04-01",
      allocated_minutes: 5,
      company_id,
      project_id,
      recurrence: { freq: "weekly" },
      requires_interaction: true,
      visible_to_client: true,
    };
    bodyOf(await patch(id, { ...sent, position: 1.5 }));
    const [[action, payload]] = (await linesAfter(id)) as [[string, { changed: string[] }]];
    expect([action, payload.changed.toSorted()]).to.deep.equal(["updated", Object.keys(sent).toSorted()]);
    bodyOf(await patch(id, { position: 2.5 }));
    expect(await linesAfter(id)).to.have.length(1);
  });

  describe("who may", () => {
    it("lets :own change tasks it is on, starred or not", async () => {
      const { id } = await makeTask(tenant.owner, {
        assignees: [{ user_id: bart.accountId }, { user_id: anna.accountId }],
      });
      expect((await patch(id, { title: "Mine too" }, anna)).status).to.equal(200);
    });

    it("answers 403 off the roster and without any scope, before it looks at the body's rules", async () => {
      const { id } = await makeTask(tenant.owner, { assignee_user_id: bart.accountId });
      expectRefusal(await patch(id, { status: "nowhere" }, anna), 403, "forbidden");
      expectRefusal(await patch(id, {}, await tenant.member("client")), 403, "forbidden");
    });

    it("answers 404 outside the selection and for another organisation's", async () => {
      const hidden = await makeTask(tenant.owner, { company_id: (await tenant.company()).id });
      const admin = await tenant.member("admin");
      await tenant.group("Seen", [(await tenant.company()).id], [admin.membershipId]);
      expectRefusal(await patch(hidden.id, { title: "x" }, admin), 404, "not_found");
      expectRefusal(await patch((await makeTask((await service.tenant()).owner)).id, { title: "x" }), 404, "not_found");
    });

    it("refuses to move a task onto a client or project outside the selection", async () => {
      const [seen, hidden] = [await tenant.company(), await tenant.company()];
      const project_id = await makeProject(tenant.owner, { company_id: hidden.id });
      const admin = await tenant.member("admin");
      await tenant.group("Seen", [seen.id], [admin.membershipId]);
      const { id } = await makeTask(tenant.owner, { company_id: seen.id });
      for (const body of [{ company_id: hidden.id }, { project_id }, { company_id: UNKNOWN }])
        expectRefusal(await patch(id, body, admin), 404, "not_found");
      expect((await patch(id, { company_id: seen.id }, admin)).status).to.equal(200);
    });
  });

  it("keeps a client login to tasks of its own clients, in POST and in PATCH", async () => {
    const [own, other] = [await tenant.company(), await tenant.company()];
    const grants = ["tasks.task.read", "tasks.task.create", "tasks.task.write:any"];
    const client = await tenant.member("client");
    await service.sql.query(
      "update roles set permissions = permissions || $2::text[] where organisation_id = $1 and key = 'client'",
      [tenant.organisation.id, grants.slice(1)],
    );
    await tenant.group("Own", [own.id], [client.membershipId]);
    const create = (body: object) => client.post("/tasks", { title: "t", visible_to_client: true, ...body });
    expectRefusal(await create({}), 403, "forbidden");
    expectRefusal(await create({ company_id: other.id }), 404, "not_found");
    const { id } = bodyOf(await create({ company_id: own.id }));
    expectRefusal(await patch(id, { company_id: null }, client), 403, "forbidden");
    expectRefusal(await patch(id, { company_id: other.id }, client), 404, "not_found");
    expect((await patch(id, { title: "u" }, client)).status).to.equal(200);
  });

  describe("due date", () => {
    it("moves an existing one later only with a reason, and records it on the trail", async () => {
      const { id } = await makeTask(tenant.owner, { due_date: "2026-04-01" });
      for (const due_change_reason of [undefined, null, "  "])
        expectRefusal(await patch(id, { due_date: "2026-04-02", due_change_reason }), 422, "validation", {
          due_change_reason: "errors.due_reason_required",
        });
      expectRefusal(await patch(id, { due_date: "2026-04-02", due_change_reason: "x".repeat(1001) }), 422, "validation", {
        due_change_reason: "errors.validation",
      });
      bodyOf(await patch(id, { due_date: "2026-04-02", due_change_reason: "The client is away" }));
      expect(await linesAfter(id)).to.deep.equal([
        ["due_extended", { from: "2026-04-01", to: "2026-04-02", reason: "The client is away" }],
        ["updated", { changed: ["due_date"] }],
      ]);
    });

    it("needs no reason for a first date, an earlier one, and null", async () => {
      const { id } = await makeTask(tenant.owner);
      for (const due_date of ["2026-04-01", "2026-03-01", null, "2026-05-01"])
        expect(bodyOf(await patch(id, { due_date })).due_date).to.equal(due_date);
      expect((await linesAfter(id)).map(([action]) => action)).to.deep.equal(["updated", "updated", "updated", "updated"]);
    });
  });

  describe("roster", () => {
    const both = () => [{ user_id: anna.accountId }, { user_id: bart.accountId }];

    it("replaces it by assignees and notifies added and removed people", async () => {
      const { id } = await makeTask(tenant.owner, { title: "T", assignees: both() });
      const dora = await tenant.member("member");
      const assignees = [{ user_id: dora.accountId }, { user_id: bart.accountId }];
      const changed = bodyOf(await patch(id, { assignees }));
      expect([changed.assignees, changed.assignee_user_id]).to.deep.equal([rosterOf(dora, bart), dora.accountId]);
      expect(await linesAfter(id)).to.deep.equal([["updated", { changed: ["assignee_user_id"] }]]);
      expect((await eventsAbout(service, id)).slice(2)).to.deep.equal([
        { event: "task.assigned", payload: { task_id: id, title: "T", recipients: [dora.accountId] } },
        { event: "task.unassigned", payload: { task_id: id, title: "T", recipients: [anna.accountId] } },
      ]);
      expect(bodyOf(await patch(id, { assignees: [] }))).to.deep.include({ assignees: [], assignee_user_id: null });
    });

    it("hands the task off by assignee_user_id: the roster becomes that person, or is empty", async () => {
      const { id } = await makeTask(tenant.owner, { assignees: both() });
      expect(bodyOf(await patch(id, { assignee_user_id: bart.accountId })).assignees).to.deep.equal(rosterOf(bart));
      expect(bodyOf(await patch(id, { assignee_user_id: null })).assignees).to.deep.equal([]);
    });

    it("keeps it when neither is sent, and takes assignees before assignee_user_id", async () => {
      const { id, assignees } = await makeTask(tenant.owner, { assignees: both() });
      expect(bodyOf(await patch(id, { title: "x" })).assignees).to.deep.equal(assignees);
      const sent = { assignee_user_id: anna.accountId, assignees: [{ user_id: bart.accountId }] };
      expect(bodyOf(await patch(id, sent)).assignees).to.deep.equal(rosterOf(bart));
    });

    it("names assignees in the trail when only others than the starred one change", async () => {
      const { id } = await makeTask(tenant.owner, { assignee_user_id: anna.accountId });
      bodyOf(await patch(id, { assignees: both() }));
      expect(await linesAfter(id)).to.deep.equal([["updated", { changed: ["assignees"] }]]);
    });

    it("refuses two stars and non-members, and changes nothing", async () => {
      const task = await makeTask(tenant.owner, { assignee_user_id: anna.accountId });
      const stars = both().map((one) => ({ ...one, is_primary: true }));
      expectRefusal(await patch(task.id, { assignees: stars }), 400, "multiple_primary_assignees");
      expectRefusal(await patch(task.id, { assignee_user_id: UNKNOWN }), 400, "invalid_assignee");
      expect(bodyOf(await patch(task.id, {}))).to.deep.equal(task);
    });

    it("refuses to star a person who is a member no longer", async () => {
      const { id } = await makeTask(tenant.owner, { assignees: both() });
      await service.sql.query("delete from memberships where id = $1", [bart.membershipId]);
      expectRefusal(await patch(id, { assignee_user_id: bart.accountId }), 400, "invalid_assignee");
      expectRefusal(await patch(id, { assignees: [{ user_id: bart.accountId }] }), 400, "invalid_assignee");
    });

    it("keeps people who are on it although they are members no longer", async () => {
      const { id } = await makeTask(tenant.owner, { assignees: both() });
      await service.sql.query("delete from memberships where id = $1", [anna.membershipId]);
      expect((await patch(id, { title: "x", assignees: both() })).status).to.equal(200);
    });

    it("loses a person with the account; the task stays", async () => {
      const { id } = await makeTask(tenant.owner, { assignees: both() });
      await service.sql.query("delete from accounts where id = $1", [anna.accountId]);
      expect(bodyOf(await tenant.owner.get(`/tasks/${id}`))).to.deep.include({
        assignees: [{ user_id: bart.accountId, is_primary: false }],
        assignee_user_id: null,
      });
    });
  });

  describe("contact assignee", () => {
    let company: Body;
    let contact: string;
    beforeEach(async () => {
      company = await tenant.company();
      contact = await makeContact(tenant.owner, [company.id]);
    });
    const conflict = { assignee_contact_id: "errors.tasks_assignee_conflict" };
    const elsewhere = { assignee_contact_id: "errors.tasks_assignee_contact_company" };

    it("goes to a contact when the roster is emptied with it, and back", async () => {
      const { id } = await makeTask(tenant.owner, { company_id: company.id, assignee_user_id: anna.accountId });
      expectRefusal(await patch(id, { assignee_contact_id: contact }), 422, "validation", conflict);
      expect(bodyOf(await patch(id, { assignee_contact_id: contact, assignee_user_id: null }))).to.deep.include({
        assignee_contact_id: contact,
        assignees: [],
      });
      expectRefusal(await patch(id, { assignee_user_id: anna.accountId }), 422, "validation", conflict);
      expectRefusal(await patch(id, { assignees: [{ user_id: anna.accountId }] }), 422, "validation", conflict);
      expect((await patch(id, { assignee_user_id: anna.accountId, assignee_contact_id: null })).status).to.equal(200);
    });

    it("is checked again when the client changes, for any other fields", async () => {
      const other = await tenant.company();
      const { id } = await makeTask(tenant.owner, { company_id: company.id, assignee_contact_id: contact });
      for (const company_id of [other.id, null]) expectRefusal(await patch(id, { company_id }), 422, "validation", elsewhere);
      const both = await makeContact(tenant.owner, [company.id, other.id]);
      expect((await patch(id, { company_id: other.id, assignee_contact_id: both })).status).to.equal(200);
      expect((await patch(id, { title: "x" })).status).to.equal(200);
    });
  });

  it("takes If-Match", async () => {
    const { id } = await makeTask(tenant.owner);
    const { headers } = await tenant.owner.get(`/tasks/${id}`);
    const etag = { "If-Match": String(headers["etag"]) };
    expect((await tenant.owner.patch(`/tasks/${id}`, { title: "a" }, { headers: etag })).status).to.equal(200);
    expect((await tenant.owner.patch(`/tasks/${id}`, { title: "b" }, { headers: etag })).status).to.equal(412);
  });
});

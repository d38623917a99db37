import { expect } from "chai";
import { eventsAbout } from "../../../support/answers.ts";
import type { Caller, Tenant } from "../../../support/service.ts";
import {
  type Body,
  bodyOf,
  expectRefusal,
  makeProject,
  makeTask,
  sharedTaskService,
  type TaskService,
  titlesOf,
} from "./task-records.ts";

describe("one task, and one's own", () => {
  let service: TaskService;
  let tenant: Tenant;
  let anna: Caller;
  before(async () => {
    service = await sharedTaskService("2026-03-09T23:30:00Z");
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    anna = await tenant.member("member", { name: "Anna" });
  });
  after(() => service.stop());

  const detail = async (id: string, caller = tenant.owner): Promise<Body> => bodyOf(await caller.get(`/tasks/${id}`));

  describe("GET /tasks/{task_id}", () => {
    it("shows the latest 50 lines of the trail, newest first, with the actor's name as it is now", async () => {
      const { id } = await makeTask(tenant.owner);
      for (let index = 1; index <= 51; index++) await tenant.owner.patch(`/tasks/${id}`, { allocated_minutes: index });
      const { activities } = await detail(id);
      expect(activities).to.have.length(50);
      expect(activities.at(-1)).to.include({ action: "updated" });
      expect(activities.map(({ created_at }: Body) => created_at)).to.deep.equal(
        activities
          .map(({ created_at }: Body) => created_at)
          .toSorted()
          .toReversed(),
      );
      const [newest] = activities;
      expect(newest).to.deep.equal({
        id: newest.id,
        action: "updated",
        payload: { changed: ["allocated_minutes"] },
        actor_user_id: tenant.owner.accountId,
        actor_name: newest.actor_name,
        actor_deleted: false,
        impersonator_name: null,
        created_at: newest.created_at,
      });
      await service.sql.query("update accounts set full_name = 'New Name' where id = $1", [tenant.owner.accountId]);
      expect((await detail(id)).activities[0].actor_name).to.equal("New Name");
    });

    it("keeps the name of an actor whose account is gone", async () => {
      const { id } = await makeTask(tenant.owner, { assignee_user_id: anna.accountId });
      bodyOf(await anna.patch(`/tasks/${id}`, { title: "Anna's" }));
      await service.sql.query("delete from accounts where id = $1", [anna.accountId]);
      expect((await detail(id)).activities[0]).to.include({ actor_name: "Anna", actor_deleted: true });
    });

    it("gives a client login no activities", async () => {
      const { id: company_id } = await tenant.company();
      const { id } = await makeTask(tenant.owner, { company_id, visible_to_client: true });
      const client = await tenant.member("client");
      await tenant.group("Own", [company_id], [client.membershipId]);
      expect((await detail(id, client)).activities).to.deep.equal([]);
      expect(bodyOf(await client.get(`/activity?entity_type=task&entity_id=${id}`))).to.deep.equal([]);
      expect((await detail(id)).activities).to.have.length(1);
    });

    it("shows checklists and items by position, then age, and links oldest first", async () => {
      const { id } = await makeTask(tenant.owner, { links: [{ url: "b.test" }, { url: "a.test" }] });
      for (const title of ["One", "Two"]) await tenant.owner.post(`/tasks/${id}/checklists`, { title });
      const [one, two] = (await detail(id)).checklists;
      await tenant.owner.patch(`/tasks/${id}/checklists/${two.id}`, { position: -1 });
      for (const title of ["first", "second"]) await tenant.owner.post(`/tasks/${id}/checklists/${one.id}/items`, { title });
      const shown = await detail(id);
      expect(shown.checklists.map(({ title }: Body) => title)).to.deep.equal(["Two", "One"]);
      expect(shown.checklists[1].items.map(({ title }: Body) => title)).to.deep.equal(["first", "second"]);
      expect(shown.links.map(({ url }: Body) => url)).to.deep.equal(["https://b.test", "https://a.test"]);
    });

    it("shows comments in threads, oldest thread first", async () => {
      const { id } = await makeTask(tenant.owner);
      const say = async (body: string, parent_id?: string): Promise<string> =>
        bodyOf(await tenant.owner.post(`/tasks/${id}/comments`, { body, parent_id })).id;
      const first = await say("first");
      await say("second");
      await say("answer to first", first);
      const { comments, comments_truncated } = await detail(id);
      expect(comments.map(({ body }: Body) => body)).to.deep.equal(["first", "answer to first", "second"]);
      expect(comments_truncated).to.equal(false);
    });

    it("needs the same statements for any number of attached records", async () => {
      const { id } = await makeTask(tenant.owner);
      const { statements } = await tenant.owner.get(`/tasks/${id}`);
      for (let index = 0; index < 4; index++) {
        bodyOf(await tenant.owner.post(`/tasks/${id}/comments`, { body: "x" }));
        bodyOf(await tenant.owner.post(`/tasks/${id}/checklists`, { title: "x" }));
      }
      expect((await tenant.owner.get(`/tasks/${id}`)).statements).to.equal(statements);
    });
  });

  describe("GET /tasks/{task_id}/ai-status", () => {
    it("reports the state of the fill-in", async () => {
      const { id } = await makeTask(tenant.owner);
      expect(bodyOf(await tenant.owner.get(`/tasks/${id}/ai-status`))).to.deep.equal({ ai_status: null });
      await service.sql.query("update tasks set ai_status = 'running' where id = $1", [id]);
      expect(bodyOf(await tenant.owner.get(`/tasks/${id}/ai-status`))).to.deep.equal({ ai_status: "running" });
      expect((await detail(id)).ai_status).to.equal("running");
    });
  });

  describe("DELETE /tasks/{task_id}", () => {
    it("takes everything that hangs on the task with it, and leaves the hours", async () => {
      const { id } = await makeTask(tenant.owner, {
        checklist: { items: [{ title: "One" }] },
        links: [{ url: "a.test" }],
        assignee_user_id: anna.accountId,
      });
      await tenant.owner.post(`/tasks/${id}/comments`, { body: "Hello" });
      const entry = bodyOf(await anna.post("/time/entries", { task_id: id, started_at: "2026-03-09T08:00:00Z", minutes: 5 }));
      const block = bodyOf(
        await tenant.owner.post("/tasks/schedules", {
          task_id: id,
          day: "2026-03-10",
          start_time: "09:00",
          duration_minutes: 60,
        }),
      );
      expect((await tenant.owner.delete(`/tasks/${id}`)).status).to.equal(204);
      expectRefusal(await tenant.owner.get(`/tasks/${id}`), 404, "not_found");
      for (const table of ["task_checklists", "task_links", "task_comments", "task_assignees", "task_schedules"]) {
        const { rowCount } = await service.sql.query(`select 1 from ${table} where task_id = $1`, [id]);
        expect(rowCount, table).to.equal(0);
      }
      expect(bodyOf(await anna.get(`/time/entries/${entry.id}`))).to.include({ task_id: null, minutes: 5 });
      const reported = await eventsAbout(service, block.id);
      expect(reported.map(({ event }) => event)).to.deep.equal(["schedule.saved", "schedule.gone"]);
      expect(reported[1]?.payload).to.include({ task_id: id, schedule_id: block.id, user_id: anna.accountId });
    });

    it("is for holders of tasks.task.delete, the roster or not", async () => {
      const { id } = await makeTask(tenant.owner, { assignee_user_id: anna.accountId });
      expectRefusal(await anna.delete(`/tasks/${id}`), 403, "forbidden");
      expect((await (await tenant.member("admin")).delete(`/tasks/${id}`)).status).to.equal(204);
    });
  });

  describe("GET /tasks/mine and /tasks/dashboard-mine", () => {
    it("show open tasks with the caller on the roster: due first, undated last, then newest", async () => {
      const mine = { assignee_user_id: anna.accountId };
      const second = { assignees: [{ user_id: tenant.owner.accountId }, { user_id: anna.accountId }] };
      await makeTask(tenant.owner, { title: "old, undated", ...mine });
      await makeTask(tenant.owner, { title: "new, undated", ...second });
      await makeTask(tenant.owner, { title: "later", due_date: "2026-05-01", ...mine });
      await makeTask(tenant.owner, { title: "sooner", due_date: "2026-04-01", ...mine });
      await makeTask(tenant.owner, { title: "sooner, newer", due_date: "2026-04-01", ...mine });
      await makeTask(tenant.owner, { title: "done", status: "done", ...mine });
      await makeTask(tenant.owner, { title: "another's", assignee_user_id: tenant.owner.accountId });
      const expected = ["sooner, newer", "sooner", "later", "new, undated", "old, undated"];
      for (const path of ["/tasks/mine", "/tasks/dashboard-mine"]) {
        expect(titlesOf(await anna.get(path)), path).to.deep.equal(expected);
        expect(titlesOf(await anna.get(`${path}?limit=2`)), path).to.deep.equal(expected.slice(0, 2));
        for (const limit of [0, 101])
          expectRefusal(await anna.get(`${path}?limit=${limit}`), 422, "validation", { limit: "errors.validation" });
      }
      const [row] = bodyOf(await anna.get("/tasks/mine"));
      expect(row).to.deep.include({ assignees: [{ user_id: anna.accountId, is_primary: true }], labels: [], comment_count: 0 });
    });

    it("need the same statements for any number of rows", async () => {
      const count = async () =>
        Promise.all(
          ["/tasks/mine", "/tasks/dashboard-mine", "/tasks/dashboard-groups"].map(
            async (path) => (await anna.get(path)).statements,
          ),
        );
      // The first request of a caller reads who it is.
      await count();
      const before = await count();
      const { id: company_id } = await tenant.company();
      for (let index = 0; index < 4; index++)
        await makeTask(tenant.owner, { company_id, assignee_user_id: anna.accountId, checklist: { title: "x" } });
      expect(await count()).to.deep.equal(before);
    });

    it("are empty for a service account", async () => {
      const key = await tenant.serviceAccount(["tasks.task.read"]);
      await makeTask(tenant.owner);
      expect(bodyOf(await key.get("/tasks/mine"))).to.deep.equal([]);
    });

    it("name the task's own client, else its project's", async () => {
      const [own, other] = [await tenant.company({ name: "Own" }), await tenant.company({ name: "Other" })];
      const project_id = await makeProject(tenant.owner, { company_id: other.id });
      const mine = { assignee_user_id: anna.accountId };
      await makeTask(tenant.owner, { title: "none", ...mine });
      await makeTask(tenant.owner, { title: "project", project_id, ...mine });
      await makeTask(tenant.owner, { title: "both", company_id: own.id, project_id, ...mine });
      const rows = bodyOf(await anna.get("/tasks/dashboard-mine"));
      expect(rows.map(({ id: _id, ...row }: Body) => row)).to.deep.equal([
        { title: "both", priority: "normal", due_date: null, company_id: own.id, company_name: "Own" },
        { title: "project", priority: "normal", due_date: null, company_id: other.id, company_name: "Other" },
        { title: "none", priority: "normal", due_date: null, company_id: null, company_name: null },
      ]);
    });

    it("omit records that the caller's selection hides", async () => {
      const [seen, hidden] = [await tenant.company(), await tenant.company()];
      await tenant.group("Seen", [seen.id], [anna.membershipId]);
      const mine = { assignee_user_id: anna.accountId };
      await makeTask(tenant.owner, { title: "seen", company_id: seen.id, ...mine });
      await makeTask(tenant.owner, { title: "hidden", company_id: hidden.id, ...mine });
      for (const path of ["/tasks/mine", "/tasks/dashboard-mine"]) expect(titlesOf(await anna.get(path))).to.deep.equal(["seen"]);
    });
  });

  describe("GET /tasks/dashboard-groups", () => {
    const groups = async (caller = tenant.owner): Promise<Body[]> => bodyOf(await caller.get("/tasks/dashboard-groups"));

    it("counts open tasks by project, else client, else together: most first, then by label, empty last", async () => {
      const [acme, bakery] = [await tenant.company({ name: "acme" }), await tenant.company({ name: "Bakery" })];
      const project_id = await makeProject(tenant.owner, { name: "Website", company_id: acme.id });
      const due_date = "2026-03-09";
      await makeTask(tenant.owner, { project_id, due_date });
      await makeTask(tenant.owner, { project_id, company_id: bakery.id, due_date: "2026-03-10" });
      await makeTask(tenant.owner, { project_id, status: "done", due_date });
      await makeTask(tenant.owner, { company_id: bakery.id });
      await makeTask(tenant.owner, { company_id: acme.id, due_date });
      await makeTask(tenant.owner);
      expect(await groups()).to.deep.equal([
        {
          entity_type: "project",
          entity_id: project_id,
          label: "Website",
          company_id: acme.id,
          company_name: "acme",
          count: 2,
          overdue: 1,
        },
        { entity_type: "company", entity_id: acme.id, label: "acme", company_id: null, company_name: null, count: 1, overdue: 1 },
        {
          entity_type: "company",
          entity_id: bakery.id,
          label: "Bakery",
          company_id: null,
          company_name: null,
          count: 1,
          overdue: 0,
        },
        { entity_type: "none", entity_id: null, label: null, company_id: null, company_name: null, count: 1, overdue: 0 },
      ]);
    });

    it("counts and names only records in the caller's selection", async () => {
      const [seen, hidden] = [await tenant.company({ name: "Seen" }), await tenant.company({ name: "Hidden" })];
      const project_id = await makeProject(tenant.owner, { name: "Secret", company_id: hidden.id });
      await makeTask(tenant.owner, { company_id: seen.id, project_id });
      await makeTask(tenant.owner, { project_id });
      await makeTask(tenant.owner, { company_id: hidden.id });
      await tenant.group("Seen", [seen.id], [anna.membershipId]);
      expect(await groups(anna)).to.deep.equal([
        {
          entity_type: "project",
          entity_id: project_id,
          label: null,
          company_id: null,
          company_name: null,
          count: 1,
          overdue: 0,
        },
      ]);
    });
  });
});

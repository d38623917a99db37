import { expect } from "chai";
import type { Caller, Tenant } from "../../../support/service.ts";
import {
  type Body,
  bodyOf,
  expectRefusal,
  idsOf,
  makeContact,
  makeProject,
  makeStatus,
  makeTask,
  rosterOf,
  sharedTaskService,
  type TaskService,
  titlesOf,
} from "./task-records.ts";

describe("GET /tasks", () => {
  let service: TaskService;
  let tenant: Tenant;
  let anna: Caller;
  before(async () => {
    // Still the 9th where the service's clock is, the 10th where the organisation is.
    service = await sharedTaskService("2026-03-09T23:30:00Z");
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    anna = await tenant.member("member", { name: "Anna" });
  });
  after(() => service.stop());

  const titles = async (query = "", caller = tenant.owner) => titlesOf(await caller.get(`/tasks${query && `?${query}`}`));
  /** Makes tasks of these titles, in order. */
  const make = async (...bodies: (string | object)[]): Promise<Body[]> => {
    const made: Body[] = [];
    for (const body of bodies) made.push(await makeTask(tenant.owner, typeof body === "string" ? { title: body } : body));
    return made;
  };

  describe("filters", () => {
    it("narrow to a client, a project, and to neither", async () => {
      const [company, other] = [await tenant.company(), await tenant.company()];
      const project_id = await makeProject(tenant.owner, { company_id: company.id });
      await make(
        { title: "client", company_id: company.id },
        { title: "project", project_id },
        { title: "both", company_id: company.id, project_id },
        { title: "other", company_id: other.id },
        "neither",
      );
      expect(await titles(`company_id=${company.id}`)).to.deep.equal(["client", "both"]);
      expect(await titles(`project_id=${project_id}`)).to.deep.equal(["project", "both"]);
      expect(await titles(`company_id=${company.id}&project_id=${project_id}`)).to.deep.equal(["both"]);
      expect(await titles("unlinked=true")).to.deep.equal(["neither"]);
      expect(await titles("unlinked=false")).to.have.length(5);
    });

    it("match any person on the roster, a contact, and a label; each task once", async () => {
      const company = await tenant.company();
      const contact = await makeContact(tenant.owner, [company.id]);
      const label = bodyOf(await tenant.owner.post("/tasks/labels", { name: "urgent", color: "red" }));
      const assignees = [{ user_id: tenant.owner.accountId }, { user_id: anna.accountId }];
      await make(
        { title: "both", assignees, label_ids: [label.id] },
        { title: "contact", company_id: company.id, assignee_contact_id: contact },
        "none",
      );
      expect(await titles(`assignee_user_id=${anna.accountId}`)).to.deep.equal(["both"]);
      expect(await titles(`assignee_contact_id=${contact}`)).to.deep.equal(["contact"]);
      expect(await titles(`label_id=${label.id}`)).to.deep.equal(["both"]);
      expect(bodyOf(await tenant.owner.get(`/tasks?label_id=${label.id}`)).total).to.equal(1);
      expect(await titles("label_id=00000000-0000-4000-8000-000000000000")).to.deep.equal([]);
    });

    it("match a status, several and an unknown one", async () => {
      await make("a", { title: "b", status: "in_progress" }, { title: "c", status: "done" });
      expect(await titles("status=done")).to.deep.equal(["c"]);
      expect(await titles("status=open,,done,%20gone")).to.deep.equal(["a", "c"]);
      expect(await titles("status=gone")).to.deep.equal([]);
      expect(await titles("status=,")).to.have.length(3);
    });

    it("distinguish placeholders from named ones, and both from an absent filter", async () => {
      await make({ title: "placeholder", unnamed: true }, "named");
      expect(await titles("unnamed=true")).to.deep.equal(["placeholder"]);
      expect(await titles("unnamed=false")).to.deep.equal(["named"]);
      expect(await titles()).to.have.length(2);
    });

    it("cut due dates on the organisation's day", async () => {
      await make(
        { title: "past", due_date: "2026-03-09" },
        { title: "past, done", due_date: "2026-03-09", status: "done" },
        { title: "today", due_date: "2026-03-10" },
        { title: "today, done", due_date: "2026-03-10", status: "done" },
        { title: "day 7", due_date: "2026-03-17" },
        { title: "day 8", due_date: "2026-03-18" },
        "undated",
      );
      expect(await titles("due=overdue")).to.deep.equal(["past"]);
      expect(await titles("due=today")).to.deep.equal(["today", "today, done"]);
      expect(await titles("due=week")).to.deep.equal(["today", "today, done", "day 7"]);
      expect(await titles("due_from=2026-03-10&due_to=2026-03-17")).to.deep.equal(["today", "today, done", "day 7"]);
      expect(await titles("due=week&due_from=2026-03-11")).to.deep.equal(["day 7"]);
      expectRefusal(await tenant.owner.get("/tasks?due=later"), 422, "validation", { due: "errors.validation" });
    });

    it("search in the title, trimmed and ignoring case, and count the matches", async () => {
      await make("Call Ärzte", "write", "recall");
      expect(await titles("q=%20CALL%20")).to.deep.equal(["Call Ärzte", "recall"]);
      expect(await titles("q=%C3%A4rz&status=open")).to.deep.equal(["Call Ärzte"]);
      expect(bodyOf(await tenant.owner.get("/tasks?q=call&limit=1")).total).to.equal(2);
    });
  });

  describe("order", () => {
    it("is by position, then age", async () => {
      const [a, b, c] = await make("a", "b", "c");
      await tenant.owner.patch(`/tasks/${c.id}`, { position: 1.5 });
      await tenant.owner.patch(`/tasks/${b.id}`, { position: a.position });
      expect(await titles()).to.deep.equal(["c", "a", "b"]);
    });

    it("sorts by each key, empty last in both directions, ties by position", async () => {
      const bram = await tenant.member("member", { name: "bram" });
      await makeStatus(tenant, { key: "aa", position: 1 });
      const [one, two, three, four] = await make(
        { title: "beta", due_date: "2026-03-02", priority: "high", status: "done", assignee_user_id: bram.accountId },
        { title: "Alpha", due_date: "2026-03-03", priority: "low", status: "in_progress", assignee_user_id: anna.accountId },
        { title: "gamma", due_date: "2026-03-02", status: "aa" },
        { title: "alpha" },
      );
      await tenant.owner.patch(`/tasks/${two.id}`, { description: "touched" });
      const numbers = new Map([one, two, three, four].map(({ id }, index) => [id, index + 1]));
      const order = async (sort: string) => idsOf(await tenant.owner.get(`/tasks?sort=${sort}`)).map((id) => numbers.get(id));
      expect({
        title: await order("title"),
        "-title": await order("-title"),
        due_date: await order("due_date"),
        "-due_date": await order("-due_date"),
        priority: await order("priority"),
        "-priority": await order("-priority"),
        status: await order("status"),
        "-status": await order("-status"),
        assignee: await order("assignee"),
        "-assignee": await order("-assignee"),
        created_at: await order("created_at"),
        "-created_at": await order("-created_at"),
        updated_at: await order("updated_at"),
        "-updated_at": await order("-updated_at"),
      }).to.deep.equal({
        title: [2, 4, 1, 3],
        "-title": [3, 1, 2, 4],
        due_date: [1, 3, 2, 4],
        "-due_date": [2, 1, 3, 4],
        priority: [2, 3, 4, 1],
        "-priority": [1, 3, 4, 2],
        status: [4, 3, 2, 1],
        "-status": [1, 2, 3, 4],
        assignee: [2, 1, 3, 4],
        "-assignee": [1, 2, 3, 4],
        created_at: [1, 2, 3, 4],
        "-created_at": [4, 3, 2, 1],
        updated_at: [1, 3, 4, 2],
        "-updated_at": [2, 4, 3, 1],
      });
    });

    it("refuses any other key, position among them", async () => {
      for (const sort of ["position", "-position", "description", "company"])
        expectRefusal(await tenant.owner.get(`/tasks?sort=${sort}`), 400, "invalid_sort", { sort: "errors.invalid_sort" });
    });
  });

  it("pages, and counts only when asked", async () => {
    await make("a", "b", "c");
    expect(bodyOf(await tenant.owner.get("/tasks?limit=2&offset=1"))).to.include({ total: 3, limit: 2, offset: 1 });
    expect(await titles("limit=2&offset=1")).to.deep.equal(["b", "c"]);
    expect(bodyOf(await tenant.owner.get("/tasks?limit=2&count=false")).total).to.equal(2);
    for (const limit of [0, 201])
      expectRefusal(await tenant.owner.get(`/tasks?limit=${limit}`), 422, "validation", { limit: "errors.validation" });
  });

  describe("rows", () => {
    it("have labels, roster and counts, or none of them with meta=false", async () => {
      const label = bodyOf(await tenant.owner.post("/tasks/labels", { name: "urgent", color: "red" }));
      const { id } = await makeTask(tenant.owner, {
        assignee_user_id: anna.accountId,
        label_ids: [label.id],
        checklist: { items: [{ title: "One" }, { title: "Two" }] },
      });
      const [{ id: list, items }] = bodyOf(await tenant.owner.get(`/tasks/${id}`)).checklists;
      await tenant.owner.patch(`/tasks/${id}/checklists/${list}/items/${items[0].id}`, { done: true });
      await tenant.owner.post(`/tasks/${id}/comments`, { body: "Hello" });
      const [full] = bodyOf(await tenant.owner.get("/tasks")).items;
      expect(full).to.deep.include({
        assignees: rosterOf(anna),
        labels: [label],
        checklist_done: 1,
        checklist_total: 2,
        comment_count: 1,
      });
      const [bare] = bodyOf(await tenant.owner.get("/tasks?meta=false")).items;
      expect(bare).to.deep.equal({
        ...full,
        assignees: [],
        labels: [],
        checklist_done: 0,
        checklist_total: 0,
        comment_count: 0,
      });
    });

    const logged = async (task_id: string, minutes: number, caller = tenant.owner) =>
      bodyOf(await caller.post("/time/entries", { task_id, started_at: "2026-03-09T08:00:00Z", minutes }));

    it("have hours when asked, of all time and everyone, without running timers", async () => {
      const [task, other] = await make({ title: "budgeted", allocated_minutes: 60 }, "free");
      await logged(task.id, 50);
      await logged(task.id, 25, anna);
      await tenant.owner.post("/time/timer/start", { task_id: task.id });
      const hours = async (query: string, caller = tenant.owner) =>
        bodyOf(await caller.get(`/tasks?${query}`)).items.map((row: Body) => [row.logged_minutes, row.remaining_minutes]);
      expect(await hours("hours=true")).to.deep.equal([
        [75, -15],
        [0, null],
      ]);
      expect(await hours("hours=true&meta=false")).to.deep.equal([
        [75, -15],
        [0, null],
      ]);
      const none = [
        [null, null],
        [null, null],
      ];
      expect(await hours("")).to.deep.equal(none);
      const reader = await tenant.member("member", { grants: ["tasks.task.read"] });
      expect(await hours("hours=true", reader)).to.deep.equal(none);
      expect(bodyOf(await reader.get(`/tasks/${task.id}`))).to.include({ logged_minutes: null, remaining_minutes: null });
      expect(bodyOf(await anna.get(`/tasks/${task.id}`))).to.include({ logged_minutes: 75, remaining_minutes: -15 });
      expect(bodyOf(await anna.get(`/tasks/${other.id}`))).to.include({ logged_minutes: 0, remaining_minutes: null });
    });

    it("leave hours on another client's account out of a restricted caller's sums", async () => {
      const [seen, hidden] = [await tenant.company(), await tenant.company()];
      const [task] = await make({ title: "t", company_id: seen.id });
      await logged(task.id, 30);
      const elsewhere = { task_id: task.id, company_id: hidden.id, started_at: "2026-03-09T08:00:00Z", minutes: 15 };
      bodyOf(await tenant.owner.post("/time/entries", elsewhere));
      const admin = await tenant.member("admin");
      await tenant.group("Seen", [seen.id], [admin.membershipId]);
      for (const [caller, minutes] of [
        [tenant.owner, 45],
        [admin, 30],
      ] as const) {
        expect(bodyOf(await caller.get("/tasks?hours=true")).items[0].logged_minutes).to.equal(minutes);
        expect(bodyOf(await caller.get(`/tasks/${task.id}`)).logged_minutes).to.equal(minutes);
      }
    });
  });

  describe("visibility", () => {
    it("omit from list, total and sums tasks of clients outside the selection, by project too", async () => {
      const [seen, hidden] = [await tenant.company(), await tenant.company()];
      const project_id = await makeProject(tenant.owner, { company_id: hidden.id });
      const [, gone, byProject] = await make(
        { title: "seen", company_id: seen.id },
        { title: "hidden", company_id: hidden.id },
        { title: "by project", project_id },
        { title: "own client", company_id: seen.id, project_id },
        "no client",
      );
      const admin = await tenant.member("admin");
      await tenant.group("Seen", [seen.id], [admin.membershipId]);
      const { items, total } = bodyOf(await admin.get("/tasks"));
      expect([items.map(({ title }: Body) => title), total]).to.deep.equal([["seen", "own client", "no client"], 3]);
      expect(await titles(`company_id=${hidden.id}`, admin)).to.deep.equal([]);
      expect(await titles("q=i", admin)).to.deep.equal(["own client", "no client"]);
      for (const { id } of [gone, byProject]) {
        expectRefusal(await admin.get(`/tasks/${id}`), 404, "not_found");
        expectRefusal(await admin.get(`/tasks/${id}/ai-status`), 404, "not_found");
        expectRefusal(await admin.delete(`/tasks/${id}`), 404, "not_found");
        expectRefusal(await admin.put(`/tasks/${id}/labels`, { label_ids: [] }), 404, "not_found");
      }
    });

    it("shows a client login only tasks visible to clients and of its own client", async () => {
      const [own, other] = [await tenant.company(), await tenant.company()];
      const [ownProject, otherProject] = [
        await makeProject(tenant.owner, { company_id: own.id }),
        await makeProject(tenant.owner, { company_id: other.id }),
      ];
      const shown = { visible_to_client: true };
      const made = await make(
        { title: "own", company_id: own.id, ...shown },
        { title: "own, by project", project_id: ownProject, ...shown },
        { title: "own, on their project", company_id: own.id, project_id: otherProject, ...shown },
        { title: "own, internal", company_id: own.id },
        { title: "theirs", company_id: other.id, ...shown },
        { title: "theirs, on my project", company_id: other.id, project_id: ownProject, ...shown },
        { title: "of no client", ...shown },
      );
      const client = await tenant.member("client");
      await tenant.group("Own", [own.id], [client.membershipId]);
      const seen = ["own", "own, by project", "own, on their project"];
      const page = bodyOf(await client.get("/tasks"));
      expect([page.items.map(({ title }: Body) => title), page.total]).to.deep.equal([seen, 3]);
      expect(await titles("q=own", client)).to.deep.equal(seen);
      for (const { id, title } of made) {
        const status = seen.includes(title) ? 200 : 404;
        expect((await client.get(`/tasks/${id}`)).status, title).to.equal(status);
        expect((await client.get(`/tasks/${id}/ai-status`)).status, title).to.equal(status);
      }
      const counted = bodyOf(await client.get("/tasks/dashboard-groups"));
      expect(counted.reduce((sum: number, { count }: Body) => sum + count, 0)).to.equal(3);
    });

    it("shows nothing to a client login without any client", async () => {
      await make({ title: "of no client", visible_to_client: true });
      const client = await tenant.member("client");
      expect(bodyOf(await client.get("/tasks"))).to.include({ total: 0 });
    });
  });

  it("needs the same statements, for any number of rows, their people, labels and lists", async () => {
    await make("a");
    const { statements } = await tenant.owner.get("/tasks?hours=true");
    expect(statements).to.be.within(1, 3);
    const label = bodyOf(await tenant.owner.post("/tasks/labels", { name: "urgent", color: "red" }));
    for (let index = 0; index < 5; index++)
      await make({ assignee_user_id: anna.accountId, title: "b", label_ids: [label.id], checklist: { title: "x" } });
    expect((await tenant.owner.get("/tasks?hours=true")).statements).to.equal(statements);
  });
});

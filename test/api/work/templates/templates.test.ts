import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { importSheet } from "../../../support/impex.ts";
import type { Caller, Tenant } from "../../../support/service.ts";
import {
  type Body,
  bodyOf,
  expectRefusal,
  linesOf,
  rosterOf,
  sharedTaskService,
  type TaskService,
} from "../tasks/task-records.ts";

const PATH = "/tasks/templates";

describe("task templates", () => {
  let service: TaskService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedTaskService("2026-03-30");
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const make = async (body: object = {}): Promise<Body> => bodyOf(await tenant.owner.post(PATH, { name: "Onboarding", ...body }));
  const apply = (template: string, company: string, who: Caller = tenant.owner) =>
    who.post(`${PATH}/${template}/apply`, { company_id: company });
  const tasksOf = async (company: string): Promise<Body[]> =>
    bodyOf(await tenant.owner.get(`/tasks?company_id=${company}&limit=200`)).items;
  const titlesFor = async (company: string) => (await tasksOf(company)).map(({ title }) => title);

  describe("as stored", () => {
    it("have defaults, and items in the order sent", async () => {
      const { id, ...made } = await make({
        items: [
          { title: "Two", position: 9 },
          { title: "One", position: 3 },
        ],
      });
      const item = {
        description: null,
        priority: "normal",
        relative_due_days: null,
        allocated_minutes: null,
        assignee_user_id: null,
        assign_responsible: false,
        requires_interaction: false,
        checklist_title: null,
        checklist_items: [],
      };
      expect(made).to.deep.equal({
        name: "Onboarding",
        trigger: "manual",
        trigger_status: null,
        active: true,
        items: [
          { id: made.items[0].id, position: 0, title: "Two", ...item },
          { id: made.items[1].id, position: 1, title: "One", ...item },
        ],
      });
      expect(bodyOf(await tenant.owner.get(`${PATH}/${id}`))).to.deep.equal({ id, ...made });
    });

    it("are listed by name", async () => {
      for (const name of ["b", "C", "A"]) await make({ name });
      expect(bodyOf(await tenant.owner.get(PATH)).map(({ name }: Body) => name)).to.deep.equal(["A", "b", "C"]);
    });

    it("have their items replaced whole by those that are sent, and else left alone", async () => {
      const { id, items } = await make({ items: [{ title: "One" }, { title: "Two" }] });
      const renamed = await tenant.owner.patch(`${PATH}/${id}`, { name: "Other", active: false });
      expect([renamed.body.items, renamed.headers.etag]).to.deep.equal([items, '"2"']);
      const same = await tenant.owner.patch(`${PATH}/${id}`, { items: [{ title: "One" }, { title: "Two" }] });
      expect([same.body.items, same.headers.etag]).to.deep.equal([items, '"2"']);
      const replaced = bodyOf(await tenant.owner.patch(`${PATH}/${id}`, { items: [{ title: "Three" }] }));
      expect(replaced.items.map(({ title, position }: Body) => [title, position])).to.deep.equal([["Three", 0]]);
      expect(bodyOf(await tenant.owner.patch(`${PATH}/${id}`, { items: [] })).items).to.deep.equal([]);
    });

    it("refuse null for what cannot be empty; a status of a trigger can be", async () => {
      const { id } = await make({ trigger: "company_status", trigger_status: "lead" });
      expectRefusal(
        await tenant.owner.patch(`${PATH}/${id}`, { name: null, trigger: null, active: null, items: null }),
        422,
        "validation",
        { name: "errors.validation", trigger: "errors.validation", active: "errors.validation", items: "errors.validation" },
      );
      expect(bodyOf(await tenant.owner.patch(`${PATH}/${id}`, { trigger_status: null })).trigger_status).to.equal(null);
    });

    it("refuse a non-member", async () => {
      const items = [{ title: "One", assignee_user_id: (await service.tenant()).owner.accountId }];
      expectRefusal(await tenant.owner.post(PATH, { name: "X", items }), 400, "invalid_assignee");
      const { id } = await make();
      expectRefusal(await tenant.owner.patch(`${PATH}/${id}`, { items }), 400, "invalid_assignee");
    });

    it("are read and applied by one permission, and written by another", async () => {
      const { id } = await make();
      const company = (await tenant.company()).id;
      const applier = await tenant.member("member", { grants: ["tasks.template.apply"] });
      expect((await applier.get(`${PATH}/${id}`)).status).to.equal(200);
      expect((await apply(id, company, applier)).status).to.equal(201);
      expectRefusal(await applier.patch(`${PATH}/${id}`, { name: "X" }), 403, "forbidden");
      expectRefusal(await (await tenant.member("member")).get(PATH), 403, "forbidden");
    });
  });

  describe("applied", () => {
    it("create a task per item in order, due from the organisation's day, for any trigger and `active`", async () => {
      const ana = await tenant.member("member");
      const company = (await tenant.company()).id;
      const { id } = await make({
        active: false,
        trigger: "company_status",
        trigger_status: "lead",
        items: [
          {
            title: "Call",
            description: "<b>Ring</b> them",
            priority: "high",
            relative_due_days: 2,
            allocated_minutes: 30,
            assignee_user_id: ana.accountId,
            requires_interaction: true,
            checklist_items: [{ title: "Number", description: "On file" }, { title: "Time" }],
          },
          { title: "Mail", checklist_title: "Papers", checklist_items: [{ title: "Deed" }] },
          { title: "Wait", relative_due_days: 0, checklist_title: "Never" },
        ],
      });
      // Amsterdam is in the 31st already.
      service.today("2026-03-30T22:30:00Z");
      const { status, body } = await apply(id, company);
      service.today("2026-03-30");
      expect(status).to.equal(201);
      const shown = body.map((task: Body) => ({
        title: task.title,
        description: task.description,
        status: task.status,
        priority: task.priority,
        due_date: task.due_date,
        allocated_minutes: task.allocated_minutes,
        requires_interaction: task.requires_interaction,
        company_id: task.company_id,
        assignees: task.assignees,
      }));
      const plain = {
        description: null,
        status: "open",
        priority: "normal",
        allocated_minutes: null,
        requires_interaction: false,
      };
      expect(shown).to.deep.equal([
        {
          title: "Call",
          description: "Ring them",
          status: "open",
          priority: "high",
          due_date: "2026-04-02",
          allocated_minutes: 30,
          requires_interaction: true,
          company_id: company,
          assignees: rosterOf(ana),
        },
        { title: "Mail", ...plain, due_date: null, company_id: company, assignees: [] },
        { title: "Wait", ...plain, due_date: "2026-03-31", company_id: company, assignees: [] },
      ]);
      expect(await titlesFor(company)).to.deep.equal(["Call", "Mail", "Wait"]);
      const lists = [];
      for (const { id: task } of body) lists.push(bodyOf(await tenant.owner.get(`/tasks/${task}`)).checklists);
      expect(
        lists.map((of: Body[]) => of.map(({ title, items }) => [title, items.map((item: Body) => item.title)])),
      ).to.deep.equal([[["Onboarding", ["Number", "Time"]]], [["Papers", ["Deed"]]], []]);
      const [first] = await linesOf(service, body[0].id);
      expect(first).to.deep.equal(["template_applied", { template_id: id, template_name: "Onboarding" }]);
      expect((await linesOf(service, body[2].id)).map(([action]) => action)).to.deep.equal(["template_applied"]);
    });

    it("give a task to the client's starred employee of the moment where the item asks so, else to its own", async () => {
      const [ana, ben] = [await tenant.member("member"), await tenant.member("member")];
      const company = (await tenant.company({ responsible_user_id: ana.accountId })).id;
      const bare = (await tenant.company()).id;
      const { id } = await make({
        items: [
          { title: "Star", assign_responsible: true, assignee_user_id: ben.accountId },
          { title: "Own", assignee_user_id: ben.accountId },
          { title: "None" },
        ],
      });
      const rosters = async (of: string) => bodyOf(await apply(id, of)).map(({ assignees }: Body) => assignees);
      expect(await rosters(company)).to.deep.equal([rosterOf(ana), rosterOf(ben), []]);
      bodyOf(await tenant.owner.patch(`/companies/${company}`, { responsible_user_id: ben.accountId }));
      expect((await rosters(company))[0]).to.deep.equal(rosterOf(ben));
      expect(await rosters(bare)).to.deep.equal([rosterOf(ben), rosterOf(ben), []]);
    });

    it("omit a former member", async () => {
      const ana = await tenant.member("member");
      const { id } = await make({ items: [{ title: "One", assignee_user_id: ana.accountId }] });
      await service.sql.query("delete from membership_roles where membership_id = $1", [ana.membershipId]);
      await service.sql.query("delete from memberships where id = $1", [ana.membershipId]);
      const [task] = bodyOf(await apply(id, (await tenant.company()).id));
      expect(task.assignees).to.deep.equal([]);
    });

    it("put the tasks on a project that is named, and answer 404 to one that is not there", async () => {
      const { id } = await make({ items: [{ title: "One" }, { title: "Two" }] });
      const company_id = (await tenant.company()).id;
      const project_id = bodyOf(await tenant.owner.post("/projects", { name: "Website", company_id })).id;
      const send = (project: string | null) => tenant.owner.post(`${PATH}/${id}/apply`, { company_id, project_id: project });
      const places = (answer: Body[]) => answer.map((task) => [task.company_id, task.project_id]);
      expect(places(bodyOf(await send(project_id)))).to.deep.equal(Array.from({ length: 2 }, () => [company_id, project_id]));
      expect(places(bodyOf(await send(null)))).to.deep.equal(Array.from({ length: 2 }, () => [company_id, null]));
      expectRefusal(await send(randomUUID()), 404, "not_found");
      expect(await titlesFor(company_id)).to.have.length(4);
    });

    it("answer 404 to a client outside the organisation or the selection, and to an unknown template", async () => {
      const { id } = await make({ items: [{ title: "One" }] });
      const company = (await tenant.company()).id;
      const foreign = (await (await service.tenant()).company()).id;
      const restricted = await tenant.member("admin");
      await tenant.group("Other", [(await tenant.company()).id], [restricted.membershipId]);
      expectRefusal(await apply(id, foreign), 404, "not_found");
      expectRefusal(await apply(id, company, restricted), 404, "not_found");
      expectRefusal(await apply(randomUUID(), company), 404, "not_found");
      expectRefusal(await tenant.owner.post(`${PATH}/${id}/apply`, {}), 422, "validation", { company_id: "errors.required" });
      expect(await titlesFor(company)).to.deep.equal([]);
    });
  });

  describe("by the status of a client", () => {
    const forStatus = (trigger_status: string, title: string, more: object = {}) =>
      make({ name: title, trigger: "company_status", trigger_status, items: [{ title }], ...more });

    it("are applied when a client is created in it, and when one moves into it", async () => {
      await forStatus("active", "Welcome");
      await forStatus("offboarding", "Farewell");
      await forStatus("active", "Off", { active: false });
      await make({ name: "Manual", trigger_status: "active", items: [{ title: "Manual" }] });
      const company = bodyOf(await tenant.owner.post("/companies", { name: "Ant" })).id;
      expect(await titlesFor(company)).to.deep.equal(["Welcome"]);
      bodyOf(await tenant.owner.patch(`/companies/${company}`, { status: "offboarding" }));
      expect(await titlesFor(company)).to.deep.equal(["Welcome", "Farewell"]);
    });

    it("count from the next client on, after any later changes", async () => {
      const next = async () => titlesFor(bodyOf(await tenant.owner.post("/companies", { name: "Ant" })).id);
      expect(await next()).to.deep.equal([]);
      const { id } = await forStatus("active", "Welcome");
      expect(await next()).to.deep.equal(["Welcome"]);
      const change = async (values: object) => bodyOf(await tenant.owner.patch(`${PATH}/${id}`, values));
      await change({ active: false });
      expect(await next()).to.deep.equal([]);
      await change({ active: true, trigger_status: "lead" });
      expect(await next()).to.deep.equal([]);
      await change({ trigger_status: "active" });
      expect(await next()).to.deep.equal(["Welcome"]);
      await change({ items: [{ title: "Hello" }] });
      expect(await next()).to.deep.equal(["Hello"]);
      await tenant.owner.delete(`${PATH}/${id}`);
      expect(await next()).to.deep.equal([]);
    });

    it("are not applied by saving the same status again, or by another change", async () => {
      await forStatus("active", "Welcome");
      const company = bodyOf(await tenant.owner.post("/companies", { name: "Ant" })).id;
      bodyOf(await tenant.owner.patch(`/companies/${company}`, { status: "active", name: "Bee" }));
      expect(await titlesFor(company)).to.deep.equal(["Welcome"]);
    });

    it("need no permission of tasks from who moves the client", async () => {
      await forStatus("archived", "File it");
      const company = (await tenant.company()).id;
      const clerk = await tenant.member("member", { grants: ["companies.company.read", "companies.company.write"] });
      bodyOf(await clerk.patch(`/companies/${company}`, { status: "archived" }));
      expect(await titlesFor(company)).to.deep.equal(["File it"]);
    });

    it("use the roster that the same write gives the client", async () => {
      const ana = await tenant.member("member");
      await make({ trigger: "company_status", trigger_status: "lead", items: [{ title: "Call", assign_responsible: true }] });
      const body = { name: "Ant", status: "lead", responsible_user_id: ana.accountId };
      const company = bodyOf(await tenant.owner.post("/companies", body)).id;
      expect((await tasksOf(company))[0].assignees).to.deep.equal(rosterOf(ana));
    });

    it("are applied by an import of companies too", async () => {
      await forStatus("lead", "Call");
      const { created } = await importSheet(tenant.owner, "company", "name,status\nAnt,lead\nBee,active\n");
      expect(created).to.equal(2);
      const companies: Body[] = bodyOf(await tenant.owner.get("/companies")).items;
      const titles = await Promise.all(companies.map(({ id }) => titlesFor(id)));
      expect(companies.map(({ name }, index) => [name, titles[index]])).to.deep.equal([
        ["Ant", ["Call"]],
        ["Bee", []],
      ]);
    });

    it("go with the client when the write is refused after all", async () => {
      await forStatus("lead", "Call");
      const stale = { headers: { "If-Match": '"9"' } };
      const company = (await tenant.company()).id;
      expectRefusal(await tenant.owner.patch(`/companies/${company}`, { status: "lead" }, stale), 412, "precondition_failed");
      await service.sql.query("alter table tasks add constraint no_tasks check (title <> 'Call') not valid");
      try {
        const answer = await tenant.owner.patch(`/companies/${company}`, { status: "lead" });
        expect(answer.status).to.equal(500);
      } finally {
        await service.sql.query("alter table tasks drop constraint no_tasks");
      }
      expect(bodyOf(await tenant.owner.get(`/companies/${company}`)).status).to.equal("active");
      expect(await titlesFor(company)).to.deep.equal([]);
    });

    it("are applied once per status entered, however many move the client at one moment", async () => {
      await forStatus("lead", "Call");
      await forStatus("archived", "File it");
      for (let round = 0; round < 5; round++) {
        const company = (await tenant.company()).id;
        const answers = await Promise.all(
          ["lead", "archived", "lead", "archived"].map((status) => tenant.owner.patch(`/companies/${company}`, { status })),
        );
        expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
        const { rows } = await service.sql.query(
          `select payload -> 'changes' -> 'status' ->> 'to' as entered from activity
            where entity_type = 'company' and entity_id = $1 and action = 'updated' order by created_at, id`,
          [company],
        );
        const wanted = rows.map(({ entered }) => (entered === "lead" ? "Call" : "File it"));
        expect((await titlesFor(company)).toSorted()).to.deep.equal(wanted.toSorted());
        expect(wanted.length).to.be.within(2, 4);
      }
    });
  });
});

import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Caller, Tenant } from "../../../support/service.ts";
import { type EntryValues, entryOf, projectOf } from "./project-records.ts";
import { startWorkService, type WorkService } from "./work-clock.ts";

describe("what projects, tasks and hours add to a company", () => {
  let service: WorkService;
  let tenant: Tenant;
  let company: { id: string };
  before(async () => {
    service = await startWorkService("2026-07-09T12:00:00Z");
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    await tenant.owner.patch("/meta/tenant", { timezone: "Europe/Amsterdam" });
    company = await tenant.company();
  });
  after(() => service.stop());

  const dataOf = async (key: string, caller: Caller = tenant.owner) => {
    const { body } = await caller.get(`/companies/${company.id}/panels`);
    return body.find((panel: { key: string }) => panel.key === key)?.data;
  };
  const tile = async (key: string, caller: Caller = tenant.owner) => {
    const { body } = await caller.get(`/companies/${company.id}/summary`);
    return body.find((one: { key: string }) => one.key === key) ?? null;
  };
  const entry = (values: EntryValues) => entryOf(service, tenant, { company_id: company.id, ...values });
  const statuses = async () => {
    const at = [tenant.organisation.id];
    await service.sql.query(
      `insert into task_statuses (id, organisation_id, key, name, color, position, is_terminal) values
       (gen_random_uuid(), $1, 'open', 'Open', 'sky', 0, false), (gen_random_uuid(), $1, 'done', 'Done', 'green', 1, true)
       on conflict do nothing`,
      at,
    );
  };
  const task = async (values: {
    status?: string;
    due_date?: string;
    visible?: boolean;
    company_id?: string;
    position?: number;
  }) => {
    await statuses();
    const { status = "open", due_date = null, visible = false, company_id = company.id, position = 1 } = values;
    const id = randomUUID();
    await service.sql.query(
      `insert into tasks (id, organisation_id, company_id, title, status, due_date, visible_to_client, position)
       values ($1, $2, $3, 'Task', $4, $5, $6, $7)`,
      [id, tenant.organisation.id, company_id, status, due_date, visible, position],
    );
    return id;
  };
  const clientLogin = async () => {
    const client = await tenant.member("client");
    await tenant.group("Client", [company.id], [client.membershipId]);
    return client;
  };

  describe("projects.company", () => {
    it("is the first five of the list with the client, and how many there are", async () => {
      for (const name of ["f", "B", "c", "d", "e", "A"]) await projectOf(tenant, { company_id: company.id, name });
      await projectOf(tenant, { name: "0 of another" });
      const data = await dataOf("projects.company");
      const list = await tenant.owner.get(`/projects?company_id=${company.id}&limit=5`);
      expect(data).to.deep.equal({ items: list.body.items, total: 6 });
      expect(data.items.map(({ name }: { name: string }) => name)).to.deep.equal(["A", "B", "c", "d", "e"]);
    });

    it("shows active projects in front, then on hold, completed and archived, each by name", async () => {
      const named = { a: "archived", b: "completed", c: "on_hold", e: "active", D: "active", f: "archived" };
      for (const [name, status] of Object.entries(named)) await projectOf(tenant, { company_id: company.id, name, status });
      const { items } = await dataOf("projects.company");
      expect(items.map(({ name }: { name: string }) => name)).to.deep.equal(["D", "e", "c", "b", "a"]);
    });

    it("is empty without any, and absent without the permission", async () => {
      const { body } = await tenant.owner.get(`/companies/${company.id}/panels`);
      for (const key of ["projects.company", "tasks.company", "time.company"])
        expect(body.find((panel: { key: string }) => panel.key === key).empty, key).to.equal(true);
      const reader = await tenant.member("member", { grants: ["companies.company.read"] });
      expect((await reader.get(`/companies/${company.id}/panels`)).body).to.have.length(1);
    });
  });

  describe("tasks.company and tasks.open", () => {
    it("are the first 50 in their order, and how many are open", async () => {
      const ids = [];
      for (let position = 0; position < 52; position++)
        ids.push(await task({ position, status: position < 3 ? "done" : "open" }));
      await task({ company_id: (await tenant.company()).id });
      const { items, open_count } = await dataOf("tasks.company");
      expect(items.map(({ id }: { id: string }) => id)).to.deep.equal(ids.slice(0, 50));
      expect(open_count).to.equal(49);
      expect(await tile("tasks.open")).to.deep.equal({
        key: "tasks.open",
        label_key: "summary.tasks.open",
        value: "49",
        format: "number",
        currency: null,
        tone: "neutral",
        hint_key: null,
        hint_params: {},
        href: null,
        position: 20,
      });
    });

    it("turn bad with open tasks that are overdue, today not yet, by the day of the organisation", async () => {
      await task({ due_date: "2026-07-09" });
      await task({ due_date: "2026-07-01", status: "done" });
      expect(await tile("tasks.open")).to.include({ value: "1", tone: "neutral" });
      await task({ due_date: "2026-07-08" });
      const overdue = { value: "2", tone: "bad", hint_key: "summary.tasks.overdue", hint_params: { count: 1 } };
      expect(await tile("tasks.open")).to.deep.include(overdue);
      service.now("2026-07-09T22:30:00Z");
      expect(await tile("tasks.open")).to.deep.include({ ...overdue, hint_params: { count: 2 } });
      service.now("2026-07-09T12:00:00Z");
    });

    it("leave no tile behind when nothing is open", async () => {
      await task({ status: "done" });
      expect(await tile("tasks.open")).to.equal(null);
    });

    it("show a client login only what clients can see", async () => {
      const shown = await task({ visible: true });
      await task({});
      const client = await clientLogin();
      const { items, open_count } = await dataOf("tasks.company", client);
      expect(items.map(({ id }: { id: string }) => id)).to.deep.equal([shown]);
      expect(open_count).to.equal(1);
      expect(await tile("tasks.open", client)).to.include({ value: "1" });
    });
  });

  describe("time.company and time.month", () => {
    it("are the ten latest hours of everyone, and all finished minutes", async () => {
      const anna = await tenant.member("member");
      const ids = [];
      for (let day = 10; day < 22; day++)
        ids.push(await entry({ started_at: `2026-06-${day}T09:00:00Z`, minutes: 5, user_id: anna.accountId }));
      ids.push(await entry({ started_at: "2026-07-09T09:00:00Z", running: true }));
      await entryOf(service, tenant, { company_id: (await tenant.company()).id, started_at: "2026-07-01T09:00:00Z" });
      const { items, total_minutes } = await dataOf("time.company");
      expect(items.map(({ id }: { id: string }) => id)).to.deep.equal(ids.toReversed().slice(0, 10));
      expect(total_minutes).to.equal(60);
      expect((await dataOf("time.company", anna)).items).to.have.length(10);
    });

    it("are the finished hours since the first of the organisation's month", async () => {
      await entry({ started_at: "2026-06-30T21:59:00Z" });
      expect(await tile("time.month")).to.equal(null);
      await entry({ started_at: "2026-06-30T22:00:00Z", minutes: 50 });
      await entry({ started_at: "2026-07-09T09:00:00Z", running: true });
      const month = { value: "0.83", format: "hours", tone: "neutral", position: 30 };
      expect(await tile("time.month")).to.deep.include(month);
      const own = await tenant.serviceAccount(["companies.company.read", "time.entry.read:own"]);
      expect(await tile("time.month", own)).to.deep.include(month);
      expect(await tile("time.month", await tenant.serviceAccount(["companies.company.read"]))).to.equal(null);
    });
  });

  it("cost a fixed number of statements", async () => {
    const cost = async () => {
      const answers = [
        await tenant.owner.get(`/companies/${company.id}/panels`),
        await tenant.owner.get(`/companies/${company.id}/summary`),
      ];
      return answers.map(({ statements }) => statements);
    };
    await statuses();
    await cost();
    const few = await cost();
    for (let n = 0; n < 12; n++) {
      const { id } = await projectOf(tenant, { company_id: company.id, budget_hours: 1 });
      await entry({ project_id: id, started_at: "2026-07-08T09:00:00Z" });
      await task({ due_date: "2026-07-01" });
    }
    expect(await cost()).to.deep.equal(few);
    expect(few[0]).to.be.at.most(50);
    expect(few[1]).to.be.at.most(26);
  });
});

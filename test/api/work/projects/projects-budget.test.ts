import { expect } from "chai";
import { internal } from "../../../../core/declare/makers/internal.ts";
import { service as actor } from "../../../../mixins/resource.ts";
import type { Caller, Tenant } from "../../../support/service.ts";
import { refusalOf } from "../../clients/companies/company-records.ts";
import { type EntryValues, entryOf, projectOf } from "./project-records.ts";
import { startWorkService, type WorkService } from "./work-clock.ts";

/** Agreements by project, as the module that has them will contribute them. */
const linked: Record<string, object[]> = {};
let asked = 0;
const agreements = actor("subscriptions.contributions", {
  actions: {
    agreements: internal({
      summary: "Agreements of projects",
      open: "a budget is the same for whoever reads its project",
      contributes: { figures: "project.agreements" },
      handler(ctx) {
        asked += 1;
        return Object.fromEntries(ctx.params.ids.flatMap((id) => (linked[id] ? [[id, linked[id]]] : [])));
      },
    }),
  },
});
const agreement = (n: number, values: object = {}) => ({
  subscription_id: `00000000-0000-4000-8000-00000000000${n}`,
  name: `Agreement ${n}`,
  status: "active",
  included_hours: "27.00",
  interval: "quarterly",
  interval_count: 1,
  ...values,
});

describe("the budgets of projects", () => {
  let service: WorkService;
  let tenant: Tenant;
  const NOON = "2026-07-09T12:00:00Z";
  before(async () => {
    service = await startWorkService(NOON, [agreements]);
  });
  beforeEach(async () => {
    service.now(NOON);
    tenant = await service.tenant();
    asked = 0;
  });
  after(() => service.stop());

  const inZone = (zone: string) => tenant.owner.patch("/meta/tenant", { timezone: zone });
  const entries = async (id: string, ...values: EntryValues[]) => {
    for (const one of values) await entryOf(service, tenant, { project_id: id, ...one });
  };
  const hoursOf = async (id: string, caller = tenant.owner) => (await caller.get(`/projects/${id}?hours=true`)).body.hours;
  /** The worked example of the chapter (§6, "Burn-down"). */
  const example = async () => {
    await inZone("Europe/Athens");
    const project = await projectOf(tenant, { budget_hours: 20, budget_period: "monthly" });
    await entries(
      project.id,
      { started_at: "2026-06-30T20:59:00Z", minutes: 60 },
      { started_at: "2026-06-30T21:00:00Z", minutes: 30, approved: true },
      { started_at: "2026-07-03T08:00:00Z", minutes: 600 },
      { started_at: "2026-07-06T08:00:00Z", minutes: 45, billable: false, approved: true },
      { started_at: "2026-07-09T08:00:00Z", running: true },
    );
    return project;
  };
  const EXAMPLE = {
    period: "monthly",
    period_start: "2026-07-01",
    budget_hours: 20,
    spent_hours: 11.25,
    billable_hours: 10.5,
    unapproved_hours: 10,
    remaining_hours: 8.75,
  };

  describe("hours", () => {
    it("are as in the worked example, on detail and list alike", async () => {
      const { id } = await example();
      expect(await hoursOf(id)).to.deep.equal(EXAMPLE);
      const { body } = await tenant.owner.get("/projects?hours=true&count=false");
      expect(body.items.map(({ hours }: { hours: unknown }) => hours)).to.deep.equal([EXAMPLE]);
    });

    it("are null when they are not asked for", async () => {
      const { id } = await example();
      expect((await tenant.owner.get(`/projects/${id}`)).body.hours).to.equal(null);
      expect((await tenant.owner.get("/projects")).body.items[0].hours).to.equal(null);
      expect((await tenant.owner.patch(`/projects/${id}`, { color: "red" })).body.hours).to.equal(null);
    });

    it("are null for readers of projects who read no time, and no budget is on their dashboard", async () => {
      const { id } = await example();
      const reader = await tenant.member("member", { grants: ["projects.project.read"] });
      await expectNoHours(reader, id);
      const timed = await tenant.member("member", { grants: ["projects.project.read", "time.entry.read:own"] });
      expect(await hoursOf(id, timed)).to.deep.equal(EXAMPLE);
      expect((await timed.get("/projects?hours=true")).body.items[0].hours).to.deep.equal(EXAMPLE);
      expect((await timed.get("/projects/dashboard-budgets")).body[0].hours).to.deep.equal(EXAMPLE);
    });

    it("are null for a client login, also where its role reads time", async () => {
      const project = await example();
      const client = await tenant.member("client");
      await tenant.group("Own", [project.company_id], [client.membershipId]);
      await expectNoHours(client, project.id);
      await service.sql.query(
        "update roles set permissions = permissions || '{time.entry.read:any}' where organisation_id = $1 and key = 'client'",
        [tenant.organisation.id],
      );
      await expectNoHours(client, project.id);
    });

    const expectNoHours = async (caller: Caller, id: string) => {
      const [one, listed, dashboard] = [
        await caller.get(`/projects/${id}?hours=true`),
        await caller.get("/projects?hours=true"),
        await caller.get("/projects/dashboard-budgets"),
      ];
      expect([one.body.id, one.body.hours]).to.deep.equal([id, null]);
      expect(listed.body.items.map((item: { id: string; hours: unknown }) => [item.id, item.hours])).to.deep.equal([[id, null]]);
      expect([dashboard.status, dashboard.body]).to.deep.equal([200, []]);
    };

    for (const [period, start, spent] of [
      ["total", null, 6],
      ["monthly", "2026-07-01", 5],
      ["weekly", "2026-07-06", 3],
      ["daily", "2026-07-09", 2],
    ] as const)
      it(`count a ${period} budget from ${start ?? "ever"}, without an end`, async () => {
        await inZone("Europe/Amsterdam");
        const { id } = await projectOf(tenant, { budget_hours: 4, budget_period: period });
        await entries(
          id,
          { started_at: "2026-06-30T21:59:59Z" },
          { started_at: "2026-06-30T22:00:00Z" },
          { started_at: "2026-07-05T21:59:59Z" },
          { started_at: "2026-07-05T22:00:00Z" },
          { started_at: "2026-07-08T22:00:00Z" },
          { started_at: "2027-01-01T09:00:00Z" },
        );
        expect(await hoursOf(id)).to.include({
          period,
          period_start: start,
          spent_hours: spent,
          remaining_hours: 4 - spent,
        });
      });

    it("report the hours spent without a budget, and round to 2 decimals", async () => {
      const { id } = await projectOf(tenant);
      await entries(id, { started_at: "2026-01-01T09:00:00Z", minutes: 10 });
      expect(await hoursOf(id)).to.include({ budget_hours: null, remaining_hours: null, spent_hours: 0.17 });
    });

    it("omit records of clients that the caller does not see", async () => {
      const { id, company_id } = await projectOf(tenant, { budget_hours: 10 });
      const hidden = await tenant.company();
      await entries(
        id,
        { started_at: "2026-01-01T09:00:00Z" },
        { started_at: "2026-01-01T10:00:00Z", company_id },
        { started_at: "2026-01-01T11:00:00Z", company_id: hidden.id },
      );
      const admin = await tenant.member("admin");
      await tenant.group("Narrow", [company_id], [admin.membershipId]);
      expect((await hoursOf(id)).spent_hours).to.equal(3);
      expect((await hoursOf(id, admin)).spent_hours).to.equal(2);
      expect((await admin.get("/projects/dashboard-budgets")).body[0].hours.spent_hours).to.equal(2);
    });
  });

  describe("backed by agreements", () => {
    it("are their hours a month, in the worked example 9, while the stored ones stay", async () => {
      const { id } = await example();
      linked[id] = [agreement(1)];
      const sources = [
        { subscription_id: agreement(1).subscription_id, name: "Agreement 1", included_hours: 27, monthly_hours: 9 },
      ];
      const { body } = await tenant.owner.get(`/projects/${id}?hours=true`);
      expect(body.hours).to.deep.equal({ ...EXAMPLE, budget_hours: 9, remaining_hours: -2.25 });
      expect(body).to.deep.include({ budget_hours: 20, budget_period: "monthly", budget_sources: sources });
      expect((await tenant.owner.get(`/projects/${id}`)).body.budget_sources).to.deep.equal(sources);
      expect((await tenant.owner.get("/projects?hours=true")).body.items[0].budget_sources).to.deep.equal(sources);
      expect((await tenant.owner.get("/projects")).body.items[0].budget_sources).to.deep.equal([]);
      expect((await tenant.owner.patch(`/projects/${id}`, { color: "red" })).body.budget_sources).to.deep.equal(sources);
      delete linked[id];
      expect(await hoursOf(id)).to.deep.equal(EXAMPLE);
    });

    it("add up by name, a month whatever the stored period; inactive ones change nothing", async () => {
      const { id } = await projectOf(tenant, { budget_hours: 20, budget_period: "total" });
      await entries(id, { started_at: "2026-06-01T09:00:00Z" }, { started_at: "2026-07-02T09:00:00Z" });
      linked[id] = [
        agreement(2, { interval: "monthly", included_hours: "10" }),
        agreement(1, { interval: "yearly", included_hours: "40" }),
        agreement(3, { status: "paused" }),
        agreement(4, { included_hours: null }),
      ];
      const { body } = await tenant.owner.get(`/projects/${id}?hours=true`);
      expect(body.budget_sources.map(({ name, monthly_hours }: Record<string, unknown>) => [name, monthly_hours])).to.deep.equal([
        ["Agreement 1", 3.33],
        ["Agreement 2", 10],
      ]);
      expect(body.hours).to.include({ period: "monthly", period_start: "2026-07-01", budget_hours: 13.33, spent_hours: 1 });
    });

    it("lock the stored hours, which may be sent back", async () => {
      const { id } = await projectOf(tenant, { budget_hours: 20 });
      linked[id] = [agreement(1)];
      const patch = (body: object) => tenant.owner.patch(`/projects/${id}`, body);
      for (const budget_hours of [21, null])
        expect(refusalOf(await patch({ budget_hours }))).to.deep.equal([
          409,
          "conflict",
          { budget_hours: "errors.projects_budget_hours_locked" },
        ]);
      expect((await patch({ budget_hours: 21 })).body.error.message).to.equal("errors.projects_budget_hours_locked");
      expect((await patch({ budget_hours: 20, name: "Sent back", budget_period: "weekly" })).body).to.include({
        name: "Sent back",
        budget_period: "weekly",
      });
      linked[id] = [agreement(1, { status: "cancelled" })];
      expect((await patch({ budget_hours: 21 })).body.budget_hours).to.equal(21);
    });

    it("are read once for a whole page, and not for an empty one", async () => {
      await tenant.owner.get("/projects?hours=true");
      expect(asked).to.equal(0);
      await projectOf(tenant);
      await projectOf(tenant);
      asked = 0;
      await tenant.owner.get("/projects?hours=true");
      expect(asked).to.equal(1);
      await tenant.owner.get("/projects/dashboard-budgets");
      expect(asked).to.equal(2);
    });

    it("are as they are stored while the module with agreements is disabled", async () => {
      const { id } = await projectOf(tenant, { budget_hours: 20 });
      linked[id] = [agreement(1)];
      await service.sql.query(
        "update organisations set enabled_modules = array_remove(enabled_modules, 'subscriptions') where id = $1",
        [tenant.organisation.id],
      );
      expect((await hoursOf(id)).budget_hours).to.equal(20);
    });
  });

  describe("GET /projects/dashboard-budgets", () => {
    const names = async (query = "", caller = tenant.owner) =>
      (await caller.get(`/projects/dashboard-budgets?${query}`)).body.map(({ name }: { name: string }) => name);

    it("gives active projects with a budget, those that have spent the largest part first", async () => {
      const { id: company_id } = await tenant.company({ name: "Client" });
      const make = async (name: string, values: object, minutes: number) => {
        const { id } = await projectOf(tenant, { name, company_id, ...values });
        await entries(id, { started_at: "2026-07-09T08:00:00Z", minutes });
        return id;
      };
      const half = await make("Half", { budget_hours: 2 }, 60);
      await make("Over", { budget_hours: 1 }, 90);
      await make("Third b", { budget_hours: 3 }, 60);
      await make("third A", { budget_hours: 3, budget_period: "daily" }, 60);
      await make("None", {}, 600);
      await make("Zero", { budget_hours: 0 }, 600);
      await make("On hold", { budget_hours: 1, status: "on_hold" }, 600);
      const backed = await make("Backed", {}, 60);
      linked[backed] = [agreement(1, { interval: "monthly", included_hours: "100" })];
      expect(await names("limit=20")).to.deep.equal(["Over", "Half", "third A", "Third b", "Backed"]);
      expect(await names()).to.deep.equal(["Over", "Half", "third A", "Third b"]);
      expect(await names("limit=1")).to.deep.equal(["Over"]);
      const [, second] = (await tenant.owner.get("/projects/dashboard-budgets")).body;
      expect(second).to.deep.equal({ id: half, name: "Half", company_name: "Client", hours: await hoursOf(half) });
    });

    it("refuses a limit outside of 1 to 20", async () => {
      for (const limit of [0, 21])
        expect((await tenant.owner.get(`/projects/dashboard-budgets?limit=${limit}`)).status).to.equal(422);
    });

    it("shows only projects that the caller sees", async () => {
      const seen = await projectOf(tenant, { name: "Seen", budget_hours: 1 });
      await projectOf(tenant, { name: "Hidden", budget_hours: 1 });
      const loose = await projectOf(tenant, { name: "Loose", budget_hours: 1 });
      await service.sql.query("update projects set company_id = null where id = $1", [loose.id]);
      const [admin, client] = [await tenant.member("admin"), await tenant.member("client")];
      await tenant.group("Narrow", [seen.company_id], [admin.membershipId, client.membershipId]);
      expect(await names("", admin)).to.deep.equal(["Loose", "Seen"]);
      expect(await names("", client)).to.deep.equal([]);
    });
  });
});

import { expect } from "chai";
import type { Tenant } from "../../../support/service.ts";
import { type EntryValues, entryOf, projectOf } from "./project-records.ts";
import { startWorkService, type WorkService } from "./work-clock.ts";

describe("the budgets of a client's projects together, GET /companies?hours=true", () => {
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

  const project = (values: Record<string, unknown>) => projectOf(tenant, { company_id: company.id, ...values });
  const entry = (values: EntryValues) => entryOf(service, tenant, { company_id: company.id, ...values });
  const hoursOf = async (caller = tenant.owner) => (await caller.get("/companies?hours=true")).body.items[0].hours;
  const NONE = {
    budget_hours: null,
    spent_hours: 0,
    billable_hours: 0,
    unapproved_hours: 0,
    remaining_hours: null,
    unbudgeted_hours: 0,
    project_count: 0,
    period: null,
  };

  it("sum active projects with hours of their own, each in its own period", async () => {
    const monthly = await project({ budget_hours: 10, budget_period: "monthly" });
    const total = await project({ budget_hours: 5.5, budget_period: "total" });
    const stopped = await project({ budget_hours: 100, status: "on_hold" });
    const free = await project({});
    await entry({ project_id: monthly.id, started_at: "2026-06-30T21:59:00Z", minutes: 120 });
    await entry({ project_id: monthly.id, started_at: "2026-06-30T22:00:00Z", minutes: 240, approved: true });
    await entry({ project_id: total.id, started_at: "2020-01-01T09:00:00Z", minutes: 765, billable: false });
    await entry({ project_id: total.id, started_at: "2026-07-09T09:00:00Z", running: true });
    await entry({ project_id: stopped.id, started_at: "2026-07-01T09:00:00Z", minutes: 60 });
    await entry({ project_id: free.id, started_at: "2026-07-01T09:00:00Z", minutes: 30 });
    await entry({ started_at: "2019-07-01T09:00:00Z", minutes: 10 });
    await entry({ started_at: "2026-07-09T10:00:00Z", running: true, user_id: (await tenant.member("member")).accountId });
    expect(await hoursOf()).to.deep.equal({
      budget_hours: 15.5,
      spent_hours: 16.75,
      billable_hours: 4,
      unapproved_hours: 12.75,
      remaining_hours: -1.25,
      unbudgeted_hours: 1.67,
      project_count: 2,
      period: null,
    });
  });

  it("name the shared period of them all", async () => {
    await project({ budget_hours: 1, budget_period: "weekly" });
    await project({ budget_hours: 0, budget_period: "weekly" });
    expect(await hoursOf()).to.include({ period: "weekly", project_count: 2, budget_hours: 1, remaining_hours: 1 });
  });

  it("are absent without a budget, and all hours are unbudgeted", async () => {
    expect(await hoursOf()).to.deep.equal(NONE);
    await project({});
    await entry({ started_at: "2019-07-01T09:00:00Z", minutes: 90 });
    expect(await hoursOf()).to.deep.equal({ ...NONE, unbudgeted_hours: 1.5 });
  });

  it("are never below 0 unbudgeted, if hours on a project name another client or none", async () => {
    const { id } = await project({ budget_hours: 10 });
    await entry({ started_at: "2026-07-01T09:00:00Z", minutes: 30 });
    await entry({ project_id: id, company_id: null, work_date: "2026-07-01", started_at: "2026-07-01T10:00:00Z", minutes: 60 });
    expect(await hoursOf()).to.include({ spent_hours: 1, unbudgeted_hours: 0 });
  });

  it("leave out hours of clients that the caller does not see", async () => {
    const { id } = await project({ budget_hours: 10 });
    const hidden = await tenant.company({ name: "Zz" });
    await entry({ project_id: id, company_id: hidden.id, started_at: "2026-07-01T09:00:00Z" });
    await entry({ project_id: id, started_at: "2026-07-01T10:00:00Z" });
    const admin = await tenant.member("admin");
    await tenant.group("Narrow", [company.id], [admin.membershipId]);
    expect((await hoursOf()).spent_hours).to.equal(2);
    expect((await hoursOf(admin)).spent_hours).to.equal(1);
  });

  it("are null for a client login, also where its role reads time, as on each project", async () => {
    await project({ budget_hours: 10 });
    await service.sql.query(
      "update roles set permissions = permissions || '{time.entry.read:any,companies.company.read}' where organisation_id = $1 and key = 'client'",
      [tenant.organisation.id],
    );
    const client = await tenant.member("client");
    await tenant.group("Own", [company.id], [client.membershipId]);
    expect(await hoursOf(client)).to.equal(null);
    expect(await hoursOf()).to.include({ project_count: 1, budget_hours: 10 });
  });

  it("cost the list one statement more, however many companies, projects and hours there are", async () => {
    const cost = async (query: string) => (await tenant.owner.get(`/companies?limit=200${query}`)).statements;
    await cost("");
    const without = await cost("");
    expect(await cost("&hours=true")).to.equal(without + 1);
    for (let n = 0; n < 5; n++) {
      const other = await tenant.company();
      for (const budget_hours of [1, 2]) {
        const { id } = await projectOf(tenant, { company_id: other.id, budget_hours });
        await entryOf(service, tenant, { company_id: other.id, project_id: id, started_at: "2026-07-01T09:00:00Z" });
      }
    }
    expect(await cost("&hours=true")).to.equal(without + 1);
  });
});

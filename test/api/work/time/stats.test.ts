import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf } from "../../clients/companies/company-records.ts";
import { Hours, ok } from "./hours.ts";

describe("statistics of hours", () => {
  let service: TestService;
  let tenant: Tenant;
  let hours: Hours;
  let ana: Caller;
  let ben: Caller;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    hours = new Hours(service, tenant);
    [ana, ben] = [await tenant.member("member"), await tenant.member("member")];
  });
  after(() => service.stop());

  const log = (caller: Caller, started_at: string, minutes: number, rest: object = {}) =>
    hours.log(caller, { started_at, minutes, ...rest });

  it("count minutes, entries and days of each person, most minutes first", async () => {
    await log(ana, "2026-04-30T22:00:00Z", 30);
    await log(ana, "2026-05-01T21:00:00Z", 10, { billable: false });
    const { id } = await log(ana, "2026-05-31T21:59:00Z", 20);
    await log(ben, "2026-05-02T09:00:00Z", 90, { billable: false });
    await log(ben, "2026-05-31T22:00:00Z", 500);
    await hours.approve(id);
    await ok(ana.post("/time/timer/start", {}));
    expect(await ok(tenant.owner.get("/time/stats/productivity?date_from=2026-05-01&date_to=2026-05-31"))).to.deep.equal({
      date_from: "2026-05-01",
      date_to: "2026-05-31",
      rows: [
        { user_id: ben.accountId, minutes: 90, billable_minutes: 0, approved_minutes: 0, entry_count: 1, active_days: 1 },
        { user_id: ana.accountId, minutes: 60, billable_minutes: 50, approved_minutes: 20, entry_count: 3, active_days: 2 },
      ],
    });
    const empty = await ok(tenant.owner.get("/time/stats/productivity?date_from=2026-05-31&date_to=2026-05-01"));
    expect(empty.rows).to.deep.equal([]);
  });

  it("sum the team, and price its billable minutes", async () => {
    await hours.rate(ana, 96);
    const { id } = await log(ana, "2026-05-01T09:00:00Z", 75);
    await log(ana, "2026-05-02T09:00:00Z", 40, { billable: false });
    await log(ben, "2026-05-03T09:00:00Z", 50);
    await hours.approve(id);
    const summary = () => ok(tenant.owner.get("/time/stats/team-summary?date_from=2026-05-01&date_to=2026-05-31"));
    const minutes = { date_from: "2026-05-01", date_to: "2026-05-31", minutes: 165, billable_minutes: 125, open_minutes: 90 };
    expect(await summary()).to.deep.equal({ ...minutes, revenue: 120 });
    await hours.defaultRate(72.5);
    expect(await summary()).to.deep.equal({ ...minutes, revenue: 180.42 });
  });

  it("give the cost of a project as in the worked example", async () => {
    const { id: company_id } = await tenant.company();
    const project_id = await hours.project({ company_id });
    await hours.rate(ana, 96);
    for (const [who, minutes, billable] of [
      [ana, 75, true],
      [ana, 40, false],
      [ben, 50, true],
    ] as const)
      await log(who, "2026-05-04T09:00:00Z", minutes, { project_id, billable });
    await log(ana, "2026-05-04T09:00:00Z", 600);
    await ok(ana.post("/time/timer/start", { project_id }));
    const cost = () => ok(tenant.owner.get(`/time/cost?project_id=${project_id}`));
    expect(await cost()).to.deep.equal({ project_id, cost: 184, billable_amount: 120, unrated_minutes: 50 });
    await hours.defaultRate(72.5);
    expect(await cost()).to.deep.equal({ project_id, cost: 244.42, billable_amount: 180.42, unrated_minutes: 0 });
    await hours.rate(ben, 0);
    expect(await cost()).to.deep.equal({ project_id, cost: 184, billable_amount: 120, unrated_minutes: 0 });
  });

  it("keep cost to who reads reports and everyone's rates, and to projects that are there", async () => {
    const project_id = await hours.project();
    const elsewhere = new Hours(service, await service.tenant());
    const path = `/time/cost?project_id=${project_id}`;
    for (const grants of [["time.report.read"], ["leave.rate.read:any"], ["time.report.read", "leave.rate.read:own"]])
      expect((await (await tenant.member("member", { grants })).get(path)).status, grants.join()).to.equal(403);
    const reader = await tenant.member("member", { grants: ["time.report.read", "leave.rate.read:any"] });
    expect((await ok(reader.get(path))).cost).to.equal(0);
    for (const id of [randomUUID(), await elsewhere.project()])
      expect(refusalOf(await reader.get(`/time/cost?project_id=${id}`))).to.deep.equal([404, "not_found", null]);
    expect(refusalOf(await reader.get("/time/cost"))).to.deep.equal(invalidOn({ project_id: "errors.required" }));
  });

  it("give the revenue of a year and the one before by month, and the clients that brought most", async () => {
    await hours.rate(ana, 60);
    const clients: string[] = [];
    for (let n = 0; n < 12; n++) clients.push((await tenant.company()).id);
    for (const [index, company_id] of clients.entries()) await log(ana, "2026-03-10T09:00:00Z", 10 + index, { company_id });
    await log(ana, "2025-12-31T23:00:00Z", 500);
    await log(ana, "2025-12-31T22:59:00Z", 100);
    await log(ana, "2026-12-31T23:00:00Z", 900);
    await log(ana, "2026-03-10T09:00:00Z", 300, { billable: false });
    await log(ben, "2026-03-10T09:00:00Z", 300, { company_id: clients[0] });
    await ok(ana.post("/time/timer/start", {}));
    const body = await ok(tenant.owner.get("/time/stats/revenue?year=2026"));
    const months = (...amounts: [number, number][]) =>
      Array.from({ length: 12 }, (_, index) => amounts.find(([month]) => month === index + 1)?.[1] ?? 0);
    // 10 to 21 minutes at 60.00 are as many euros.
    expect(body).to.deep.equal({
      year: 2026,
      months_current: months([1, 500], [3, 186]),
      months_previous: months([12, 100]),
      total_current: 686,
      total_previous: 100,
      top_clients: [
        { company_id: null, revenue: 500 },
        ...clients
          .map((company_id, index) => ({ company_id, revenue: 10 + index }))
          .toReversed()
          .slice(0, 9),
      ],
      other_revenue: 10 + 11 + 12,
      rounding: 0,
    });
  });

  it("leave people without any rate out of the revenue, until there is a default", async () => {
    await hours.rate(ana, 96);
    await log(ana, "2026-05-04T09:00:00Z", 75);
    await log(ben, "2026-05-04T09:00:00Z", 50);
    const may = async () => (await ok(tenant.owner.get("/time/stats/revenue?year=2026"))).months_current[4];
    expect(await may()).to.equal(120);
    await hours.defaultRate(72.5);
    expect(await may()).to.equal(180.42);
    for (const year of [1999, 2101]) expect((await tenant.owner.get(`/time/stats/revenue?year=${year}`)).status).to.equal(422);
    expect((await ok(tenant.owner.get("/time/stats/revenue?year=2100"))).total_current).to.equal(0);
  });

  it("need the permission to read reports, and both dates", async () => {
    const window = "date_from=2026-05-01&date_to=2026-05-31";
    for (const path of [`productivity?${window}`, `team-summary?${window}`, "revenue?year=2026"])
      expect((await ana.get(`/time/stats/${path}`)).status, path).to.equal(403);
    for (const path of ["productivity", "team-summary"])
      expect(refusalOf(await tenant.owner.get(`/time/stats/${path}`)), path).to.deep.equal(
        invalidOn({ date_from: "errors.required", date_to: "errors.required" }),
      );
  });
});

import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { Records } from "./billing-records.ts";

describe("hours of a client that wait to be invoiced", () => {
  let service: TestService;
  let tenant: Tenant;
  let records: Records;
  let client: string;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    records = new Records(service.sql, tenant);
    client = (await tenant.company({ name: "Vela Works" })).id;
  });
  after(() => service.stop());

  const unbilled = async (query = "", by: Caller = tenant.owner) =>
    (await by.get(`/invoicing/unbilled?company_id=${client}${query}`)).body;
  const ids = async (query = "", by?: Caller) => (await unbilled(query, by)).entries.map(({ id }: { id: string }) => id);

  it("are priced by the worker's own rate, else that of the people settings, else that of invoicing (worked example 8)", async () => {
    const [ana, bo] = [await tenant.member("member", { name: "Ana" }), await tenant.member("member", { name: "Bo" })];
    await records.rate(ana.accountId, 92.5);
    await tenant.owner.put("/invoicing/settings", { default_hourly_rate: 70 });
    const project = await records.project("P", client);
    const at = (hour: number) => ({ company_id: client, project_id: project, started_at: `2026-03-02T0${hour}:00:00Z` });
    await records.entry({ ...at(8), user_id: ana.accountId, minutes: 50, description: "Texts" });
    await records.entry({ ...at(9), user_id: bo.accountId, minutes: 25 });
    await records.entry({ ...at(7), user_id: ana.accountId, minutes: 35 });
    const found = await unbilled();
    expect(found).to.deep.include({
      total_count: 3,
      total_minutes: 110,
      total_amount: "160.21",
      hourly_rate: "70.00",
      truncated: false,
    });
    expect(found.entries.map(({ id: _id, ...entry }: { id: string }) => entry)).to.deep.equal([
      {
        description: null,
        started_at: "2026-03-02T07:00:00+00:00",
        minutes: 35,
        rate: "92.50",
        project_id: project,
        project_name: "P",
        user_name: "Ana",
      },
      {
        description: "Texts",
        started_at: "2026-03-02T08:00:00+00:00",
        minutes: 50,
        rate: "92.50",
        project_id: project,
        project_name: "P",
        user_name: "Ana",
      },
      {
        description: null,
        started_at: "2026-03-02T09:00:00+00:00",
        minutes: 25,
        rate: "70.00",
        project_id: project,
        project_name: "P",
        user_name: "Bo",
      },
    ]);
    await tenant.owner.put("/leave/settings", { default_hourly_rate: 60 });
    expect((await unbilled()).total_amount, "Bo by the people settings").to.equal("156.04");
    await service.sql.query("update leave_profiles set hourly_rate = 0 where user_id = $1", [ana.accountId]);
    expect((await unbilled()).total_amount, "a rate of nothing counts").to.equal("25.00");
  });

  it("are worth nothing without any rate", async () => {
    await records.entry({ company_id: client });
    expect(await unbilled()).to.deep.include({ total_minutes: 60, total_amount: "0.00", hourly_rate: null });
    expect((await unbilled()).entries[0].rate).to.equal("0.00");
  });

  it("are finished, billable, approved, of some minutes and on no document", async () => {
    const waits = await records.entry({ company_id: client });
    await records.entry({ company_id: client, ended_at: null });
    await records.entry({ company_id: client, billable: false });
    await records.entry({ company_id: client, approved_at: null });
    await records.entry({ company_id: client, minutes: 0 });
    await records.entry({ company_id: client, invoiced_at: "2026-03-05T00:00:00Z" });
    const claimed = await records.entry({ company_id: client });
    await records.claim(claimed, await records.invoice(client, { status: "draft" }));
    await records.entry({ company_id: (await tenant.company()).id });
    await records.entry({});
    expect(await ids()).to.deep.equal([waits]);
    expect((await unbilled()).total_count).to.equal(1);
  });

  it("are also those of its projects and tasks that name no client themselves", async () => {
    const project = await records.project("P", client);
    const other = await records.project("Other", (await tenant.company()).id);
    const own = await records.entry({ project_id: project });
    await records.entry({ project_id: other });
    const crossed = await records.entry({ company_id: client, project_id: other, started_at: "2026-03-04T09:00:00Z" });
    expect(await ids()).to.deep.equal([own, crossed]);
    expect(await ids(`&project_id=${project}`)).to.deep.equal([own]);
  });

  it("end with the last moment of the day that is named, where the organisation is", async () => {
    await service.sql.query("update organisations set timezone = 'Europe/Amsterdam' where id = $1", [tenant.organisation.id]);
    const early = await records.entry({ company_id: client, started_at: "2026-03-02T22:59:00Z" });
    const late = await records.entry({ company_id: client, started_at: "2026-03-02T23:00:00Z" });
    expect(await ids("&until=2026-03-02")).to.deep.equal([early]);
    expect(await ids("&until=2026-03-03")).to.deep.equal([early, late]);
    expect(await ids("&until=9999-12-31")).to.deep.equal([early, late]);
    expect((await unbilled("&until=2026-03-02")).total_count).to.equal(1);
  });

  it("are listed up to 500, while the sums cover all of them, in as many statements", async () => {
    await records.entry({ company_id: client });
    await unbilled();
    const few = await tenant.owner.get(`/invoicing/unbilled?company_id=${client}`);
    await service.sql.query(
      `insert into time_entries (id, organisation_id, user_id, company_id, started_at, ended_at, minutes, approved_at)
       select gen_random_uuid(), $1, $2, $3, at, at + interval '1 min', 1, at from generate_series(1, 600) n,
         lateral (select timestamptz '2026-04-01' + n * interval '1 hour' as at) a`,
      [tenant.organisation.id, tenant.owner.accountId, client],
    );
    const many = await tenant.owner.get(`/invoicing/unbilled?company_id=${client}`);
    expect(many.body.entries.length).to.equal(500);
    expect(many.body).to.deep.include({ total_count: 601, total_minutes: 660, truncated: true });
    expect(many.statements).to.equal(few.statements);
  });

  it("are empty for a client that the caller does not see, or that does not exist", async () => {
    const [seen, hidden] = [await tenant.company(), { id: client }];
    const member = await tenant.member("member", { grants: ["invoicing.invoice.write"] });
    await tenant.group("seen", [seen.id], [member.membershipId]);
    const project = await records.project("Hidden plan", hidden.id);
    await records.entry({ company_id: hidden.id });
    const crossed = await records.entry({ company_id: seen.id, project_id: project });
    expect(await unbilled("", member)).to.deep.include({ entries: [], total_count: 0, total_amount: "0.00" });
    client = seen.id;
    expect(await ids("", member)).to.deep.equal([crossed]);
    expect((await unbilled("", member)).entries[0].project_name, "another client's project").to.equal("");
    client = "8f1f7e0e-6f3c-4c58-9a3e-0d6b4a0a2f11";
    expect((await unbilled()).total_count).to.equal(0);
    expect((await tenant.owner.get("/invoicing/unbilled")).status).to.equal(422);
    const reader = await tenant.member("member", { grants: ["invoicing.invoice.read:any"] });
    expect((await reader.get(`/invoicing/unbilled?company_id=${client}`)).status).to.equal(403);
  });
});

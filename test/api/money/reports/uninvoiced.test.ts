import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { Records } from "./billing-records.ts";

interface Group {
  key: string;
  label: string | null;
  count: number;
  minutes: number;
  amount: string;
}

describe("hours of all clients that wait to be invoiced", () => {
  let service: TestService;
  let tenant: Tenant;
  let records: Records;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    records = new Records(service.sql, tenant);
  });
  after(() => service.stop());

  const report = async (query = "", by: Caller = tenant.owner) => (await by.get(`/invoicing/uninvoiced${query}`)).body;
  const groups = async (query: string, by?: Caller): Promise<Group[]> => (await report(query, by)).groups;
  const keys = async (group: string) => (await groups(`?group=${group}`)).map(({ key, label }) => [key, label]);

  it("are grouped by client, by name, those without one last, and priced once per sum", async () => {
    const [zeta, alpha] = [(await tenant.company({ name: "Zeta" })).id, (await tenant.company({ name: "alpha" })).id];
    const project = await records.project("P", zeta);
    await records.rate(tenant.owner.accountId, 0.37);
    const none = await records.entry({ minutes: 20 });
    const late = await records.entry({ company_id: zeta, minutes: 20, started_at: "2026-03-05T09:00:00Z" });
    const early = await records.entry({
      project_id: project,
      minutes: 20,
      started_at: "2026-03-04T09:00:00Z",
      description: "Call",
    });
    const first = await records.entry({ company_id: alpha, minutes: 20 });
    const found = await report();
    // 20 min at 0.37 are 0.1233…: 0.12 each, 0.25 of two, 0.49 of four.
    expect(found.groups).to.deep.equal([
      { key: alpha, label: "alpha", count: 1, minutes: 20, amount: "0.12" },
      { key: zeta, label: "Zeta", count: 2, minutes: 40, amount: "0.25" },
      { key: "", label: null, count: 1, minutes: 20, amount: "0.12" },
    ]);
    expect(found).to.deep.include({
      group: "company",
      total_count: 4,
      total_minutes: 80,
      total_amount: "0.49",
      truncated: false,
    });
    expect(found.entries.map(({ id }: { id: string }) => id)).to.deep.equal([first, early, late, none]);
    expect(found.entries[1]).to.deep.equal({
      id: early,
      group_key: zeta,
      entry_date: "2026-03-04",
      started_at: "2026-03-04T09:00:00+00:00",
      minutes: 20,
      rate: "0.37",
      amount: "0.12",
      description: "Call",
      company_id: zeta,
      company_name: "Zeta",
      project_id: project,
      project_name: "P",
      user_name: found.entries[0].user_name,
    });
  });

  it("are grouped by time, the oldest first, on the days of the organisation", async () => {
    await service.sql.query("update organisations set timezone = 'Europe/Amsterdam' where id = $1", [tenant.organisation.id]);
    // 1 January 2027 in Amsterdam, of the 53rd week of 2026.
    for (const started_at of ["2026-12-31T23:30:00Z", "2026-12-27T23:30:00Z", "2026-12-27T12:00:00Z"])
      await records.entry({ started_at });
    expect(await keys("day")).to.deep.equal([
      ["2026-12-27", null],
      ["2026-12-28", null],
      ["2027-01-01", null],
    ]);
    expect(await keys("week")).to.deep.equal([
      ["2026-W52", null],
      ["2026-W53", null],
    ]);
    expect(await keys("month")).to.deep.equal([
      ["2026-12", null],
      ["2027-01", null],
    ]);
    expect(await keys("year")).to.deep.equal([
      ["2026", null],
      ["2027", null],
    ]);
    const { entries } = await report("?group=week");
    expect(entries.map((entry: Record<string, unknown>) => [entry["group_key"], entry["entry_date"]])).to.deep.equal([
      ["2026-W52", "2026-12-27"],
      ["2026-W53", "2026-12-28"],
      ["2026-W53", "2027-01-01"],
    ]);
  });

  it("are grouped by project and by who worked them", async () => {
    const client = (await tenant.company()).id;
    const [one, two] = [await records.project("beta", client), await records.project("Alpha", client)];
    const [ana, bo] = [await tenant.member("member", { name: "Ana" }), await tenant.member("member", { name: "Bo" })];
    await records.entry({ company_id: client, project_id: one, user_id: bo.accountId });
    await records.entry({ company_id: client, project_id: two, user_id: bo.accountId });
    await records.entry({ company_id: client, user_id: ana.accountId });
    const gone = "8f1f7e0e-6f3c-4c58-9a3e-0d6b4a0a2f11";
    await records.entry({ company_id: client, user_id: gone });
    expect(await keys("project")).to.deep.equal([
      [two, "Alpha"],
      [one, "beta"],
      ["", null],
    ]);
    expect(await keys("user")).to.deep.equal([
      [ana.accountId, "Ana"],
      [bo.accountId, "Bo"],
      [gone, null],
    ]);
  });

  it("are all counted, however few are listed, in as many statements", async () => {
    await records.entry({});
    await report();
    const few = await tenant.owner.get("/invoicing/uninvoiced");
    for (let n = 0; n < 4; n++) await records.entry({ company_id: (await tenant.company()).id });
    const many = await tenant.owner.get("/invoicing/uninvoiced?limit=2");
    expect([many.body.entries.length, many.body.total_count, many.body.groups.length, many.body.truncated]).to.deep.equal([
      2,
      5,
      5,
      true,
    ]);
    expect(many.statements).to.equal(few.statements);
    for (const query of ["?limit=0", "?limit=1001", "?group=task"])
      expect((await tenant.owner.get(`/invoicing/uninvoiced${query}`)).status, query).to.equal(422);
  });

  it("are those of the clients a restricted member sees, and those without one; readers of documents alone are refused", async () => {
    const [seen, hidden] = [(await tenant.company({ name: "Seen" })).id, (await tenant.company({ name: "Hidden" })).id];
    const member = await tenant.member("member", { grants: ["invoicing.invoice.read:any"] });
    await tenant.group("seen", [seen], [member.membershipId]);
    const secret = await records.project("Secret", hidden);
    await records.entry({ company_id: seen });
    await records.entry({ company_id: hidden });
    await records.entry({ project_id: secret });
    await records.entry({ company_id: seen, project_id: secret });
    await records.entry({});
    expect((await groups("", member)).map(({ label, count }) => [label, count])).to.deep.equal([
      ["Seen", 2],
      [null, 1],
    ]);
    const text = JSON.stringify([await report("?group=project", member), await report("", member)]);
    expect(text).to.not.match(/Secret|Hidden/);
    expect((await report("", tenant.owner)).total_count).to.equal(5);
    const own = await tenant.member("member", { grants: ["invoicing.invoice.read:own"] });
    expect((await own.get("/invoicing/uninvoiced")).status).to.equal(403);
  });
});

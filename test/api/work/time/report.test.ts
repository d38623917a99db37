import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf } from "../../clients/companies/company-records.ts";
import { type EntryBody, Hours, ok } from "./hours.ts";

const NO_TOTALS = {
  count: 0,
  minutes: 0,
  billable_minutes: 0,
  approved_minutes: 0,
  open_minutes: 0,
  to_invoice_minutes: 0,
  invoiced_minutes: 0,
};

describe("GET /time/report", () => {
  let service: TestService;
  let tenant: Tenant;
  let hours: Hours;
  let member: Caller;
  let company_id: string;
  let project_id: string;
  let entries: Record<"open" | "approved" | "invoiced" | "unbilled" | "signed", EntryBody>;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    hours = new Hours(service, tenant);
    member = await tenant.member("member");
    company_id = (await tenant.company()).id;
    project_id = await hours.project({ company_id });
    const log = (day: string, minutes: number, rest: object = {}, caller = member) =>
      hours.log(caller, { started_at: `2026-05-0${day}T09:00:00Z`, minutes, ...rest });
    entries = {
      open: await log("1", 1, { company_id, project_id }),
      approved: await log("2", 10, { company_id, entry_type_key: "email" }),
      invoiced: await log("3", 100),
      unbilled: await log("4", 1000, { billable: false }, tenant.owner),
      signed: await log("5", 200, { billable: false, company_id }, tenant.owner),
    };
    await hours.approve(entries.approved.id, entries.signed.id);
    await ok(tenant.owner.post("/time/entries/invoice", { entry_ids: [entries.invoiced.id] }));
    await ok(member.post("/time/timer/start", { company_id, project_id }));
  });
  after(() => service.stop());

  const report = (query = "") => ok(tenant.owner.get(`/time/report${query}`));
  const daysOf = (body: { items: EntryBody[] }) =>
    body.items.map(({ started_at }) => (started_at as string).slice(9, 10)).join("");

  it("pages finished entries of everyone, newest first, with totals over all of them", async () => {
    const totals = {
      count: 5,
      minutes: 1311,
      billable_minutes: 111,
      approved_minutes: 310,
      open_minutes: 1001,
      to_invoice_minutes: 10,
      invoiced_minutes: 100,
    };
    const whole = await report();
    expect({ ...whole, items: daysOf(whole) }).to.deep.equal({
      items: "54321",
      total: 5,
      limit: 200,
      offset: 0,
      next_cursor: null,
      totals,
    });
    expect(whole.items[4]).to.deep.equal(await ok(member.get(`/time/entries/${entries.open.id}`)));
    const part = await report("?limit=2&offset=3&sort=minutes");
    expect({ ...part, items: daysOf(part) }).to.deep.equal({
      items: "54",
      total: 5,
      limit: 2,
      offset: 3,
      next_cursor: null,
      totals,
    });
  });

  it("narrows page and totals alike", async () => {
    const ways: Record<string, string> = {
      [`user_id=${member.accountId}`]: "321",
      [`company_id=${company_id}`]: "521",
      [`project_id=${project_id}`]: "1",
      "date_from=2026-05-02&date_to=2026-05-04": "432",
      "billable=false": "54",
      "billable=true": "321",
      "approved=true": "532",
      "approved=false": "41",
      "invoiced=true": "3",
      "invoiced=false": "5421",
      "entry_type=email": "2",
      "approved=true&billable=true&invoiced=false": "2",
      "date_from=2026-06-01": "",
    };
    const minutesOf: Record<string, number> = { 1: 1, 2: 10, 3: 100, 4: 1000, 5: 200 };
    for (const [query, days] of Object.entries(ways)) {
      const body = await report(`?${query}`);
      const minutes = [...days].reduce((sum, day) => sum + (minutesOf[day] as number), 0);
      expect([daysOf(body), body.total, body.totals.count, body.totals.minutes], query).to.deep.equal([
        days,
        days.length,
        days.length,
        minutes,
      ]);
      expect(body.totals.approved_minutes + body.totals.open_minutes, query).to.equal(minutes);
    }
    expect((await report("?date_from=2026-06-01")).totals).to.deep.equal(NO_TOTALS);
  });

  it("totals every kind of entry, and over any filter the sum of the page's rows", async () => {
    const other = await service.tenant();
    const kinds = [0, 1, 2, 3, 4, 5, 6, 7];
    // Invoiced without sign-off comes only from imports.
    await service.sql.query(
      `insert into time_entries (id, organisation_id, user_id, started_at, ended_at, minutes, billable, approved_at, invoiced_at)
       select gen_random_uuid(), $1, $2, '2026-05-04T09:00:00Z', '2026-05-04T10:00:00Z', 10 ^ bits, bits & 1 > 0,
              case when bits & 2 > 0 then now() end, case when bits & 4 > 0 then now() end from unnest($3::int[]) bits`,
      [other.organisation.id, other.owner.accountId, kinds],
    );
    expect((await ok(other.owner.get("/time/report"))).totals).to.deep.equal({
      count: 8,
      minutes: 11_111_111,
      billable_minutes: 10_101_010,
      approved_minutes: 11_001_100,
      open_minutes: 110_011,
      to_invoice_minutes: 1000,
      invoiced_minutes: 11_110_000,
    });
    const either = (name: string) => ["", `&${name}=true`, `&${name}=false`];
    const filters = either("billable").flatMap((one) =>
      either("approved").flatMap((two) => either("invoiced").map((three) => `?${(one + two + three).slice(1)}`)),
    );
    for (const filter of filters) {
      const { items, totals } = await ok(other.owner.get(`/time/report${filter}`));
      const sum = (of: (entry: EntryBody) => unknown) =>
        (items as EntryBody[]).filter(of).reduce((all, { minutes }) => all + minutes, 0);
      expect(totals, filter).to.deep.equal({
        count: items.length,
        minutes: sum(() => true),
        billable_minutes: sum(({ billable }) => billable),
        approved_minutes: sum(({ approved_at }) => approved_at),
        open_minutes: sum(({ approved_at }) => !approved_at),
        to_invoice_minutes: sum((entry) => entry["approved_at"] && entry["billable"] && !entry["invoiced_at"]),
        invoiced_minutes: sum(({ invoiced_at }) => invoiced_at),
      });
    }
  });

  it("narrows to what changed since an instant, totals too", async () => {
    const far = "2100-01-01T00:00:00Z";
    expect(await report(`?updated_since=${far}`)).to.deep.equal({
      items: [],
      total: 0,
      limit: 200,
      offset: 0,
      next_cursor: null,
      totals: NO_TOTALS,
    });
    expect((await report("?updated_since=2000-01-01T00:00:00Z")).total).to.equal(5);
  });

  it("takes 1 to 1,000 rows, its own keys alone, and its own permission", async () => {
    expect((await report("?limit=1000")).items).to.have.length(5);
    for (const limit of [0, 1001])
      expect(refusalOf(await tenant.owner.get(`/time/report?limit=${limit}`))).to.deep.equal(
        invalidOn({ limit: "errors.validation" }),
      );
    expect((await tenant.owner.get("/time/report?sort=name")).body.error.code).to.equal("invalid_sort");
    expect((await member.get("/time/report")).status).to.equal(403);
    const reporter = await tenant.member("member", { grants: ["time.report.read"] });
    expect((await ok(reporter.get("/time/report"))).total).to.equal(5);
  });
});

import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { invalidOn, refusalOf } from "../clients/companies/company-records.ts";
import { clock, Leave, lapse, licensed, ok } from "./leave-people.ts";

interface Holiday {
  id: string;
  date: string;
  key: string | null;
  source: string;
  active: boolean;
  name_i18n: Record<string, string>;
}

describe("holidays", () => {
  let service: TestService;
  let tenant: Tenant;
  const now = clock();
  before(async () => {
    service = await sharedService("clock");
    await licensed(service);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    now.set("2030-02-04");
  });
  afterEach(now.restore);
  after(() => service.stop());

  const list = async (query = "", who: Caller = tenant.owner): Promise<Holiday[]> => ok(who.get(`/leave/holidays${query}`));
  const datesOf = (rows: Holiday[]) => rows.map(({ date }) => date);
  const create = (body: object) => tenant.owner.post("/leave/holidays", body);
  const patch = (id: string, body: unknown) => tenant.owner.patch(`/leave/holidays/${id}`, body);
  const load = (year: number, rest = {}) => ok(tenant.owner.post("/leave/holidays/import", { year, ...rest }));
  const byKey = async (key: string, query: string) => (await list(query)).find((row) => row.key === key) as Holiday;

  describe("seeding", () => {
    it("gives this year's and next year's on the first use, once under parallel reads", async () => {
      const answers = await Promise.all([1, 2, 3].map(() => list()));
      for (const rows of answers) expect(rows.length).to.equal(11);
      expect((await list("?year=2031")).length).to.equal(11);
      expect(await list("?year=2032")).to.deep.equal([]);
      const [first] = await list();
      expect(first).to.deep.equal({
        id: first?.id,
        date: "2030-01-01",
        name_i18n: { nl: "Nieuwjaarsdag", en: "New Year's Day" },
        active: true,
        source: "nl",
        key: "nieuwjaarsdag",
      });
    });

    it("takes the country of the settings", async () => {
      await ok(tenant.owner.put("/leave/settings", { holiday_country: "DE" }));
      const rows = await list();
      expect(rows.map(({ source }) => source))
        .to.include("de")
        .and.not.include("nl");
      expect(datesOf(rows)).to.include("2030-10-03");
    });

    it("are created by other first uses, such as a balance", async () => {
      await ok(tenant.owner.get("/leave/balance?year=2030"));
      const { rows } = await service.sql.query("select 1 from leave_holidays where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      expect(rows.length).to.equal(22);
    });

    it("are not created by a read without permission to write leave, nor without a licence", async () => {
      const reader = await tenant.member("member", { grants: ["leave.request.read:any"] });
      expect(await list("", reader)).to.deep.equal([]);
      const restore = await lapse(service);
      expect(await list()).to.deep.equal([]);
      await restore();
      expect((await list()).length).to.equal(11);
    });

    it("precedes a holiday made by hand, and an import of another year", async () => {
      await ok(create({ date: "2030-05-06" }));
      expect((await list()).length).to.equal(12);
      const other = await service.tenant();
      expect(await ok(other.owner.post("/leave/holidays/import", { year: 2035 }))).to.deep.equal({
        created: 11,
        updated: 0,
        skipped: 0,
      });
      expect((await list("", other.owner)).length).to.equal(11);
    });
  });

  describe("reads", () => {
    it("are of a year, by default today's, or of a window that wins over the year, by date", async () => {
      await list();
      expect(datesOf(await list("?year=2031"))[0]).to.equal("2031-01-01");
      expect(datesOf(await list("?year=2031&date_from=2030-12-25&date_to=2031-01-01"))).to.deep.equal([
        "2030-12-25",
        "2030-12-26",
        "2031-01-01",
      ]);
      expect((await list("?date_from=2030-12-25")).length, "half a window").to.equal(11);
    });

    it("show deactivated ones on request only, and what changed since an instant", async () => {
      const { id } = await byKey("goede_vrijdag", "");
      await ok(patch(id, { active: false }));
      expect((await list()).length).to.equal(10);
      expect((await list("?include_inactive=true")).length).to.equal(11);
      await service.sql.query("update leave_holidays set updated_at = '2026-01-01' where id <> $1", [id]);
      expect((await list("?include_inactive=true&updated_since=2026-01-02T00:00:00Z")).length).to.equal(1);
    });

    const refused: [query: string, fields: Record<string, string>][] = [
      ["?year=1999", { year: "errors.validation" }],
      ["?year=2101", { year: "errors.validation" }],
      ["?date_from=2030-01-02&date_to=2030-01-01", { date_to: "errors.leave_end_before_start" }],
      ["?date_from=2030-01-01&date_to=2031-02-05", { date_to: "errors.validation" }],
      ["?date_from=2030-02-30&date_to=2030-03-01", { date_from: "errors.validation" }],
    ];
    for (const [query, fields] of refused)
      it(`refuse ${query}`, async () => {
        expect(refusalOf(await tenant.owner.get(`/leave/holidays${query}`))).to.deep.equal(invalidOn(fields));
      });

    it("take a window of 400 days", async () => {
      expect((await tenant.owner.get("/leave/holidays?date_from=2030-01-01&date_to=2031-02-04")).status).to.equal(200);
    });

    it("are any staff member's", async () => {
      expect((await list("", await tenant.member("member"))).length).to.equal(11);
      expect((await (await tenant.member("client")).get("/leave/holidays")).status).to.equal(403);
    });
  });

  describe("writes", () => {
    it("make a manual one, which holds its date alone", async () => {
      const { status, body } = await create({ date: "2030-06-03", name_i18n: { nl: "Brugdag" } });
      expect(status).to.equal(201);
      expect(body).to.deep.equal({
        id: body.id,
        date: "2030-06-03",
        name_i18n: { nl: "Brugdag" },
        active: true,
        source: "manual",
        key: null,
      });
      const answers = await Promise.all([
        create({ date: "2030-06-04" }),
        create({ date: "2030-06-04" }),
        create({ date: "2030-06-03" }),
      ]);
      expect(answers.map((one) => one.status).sort()).to.deep.equal([201, 409, 409]);
      const lost = answers.find((one) => one.status === 409);
      expect(lost?.body.error).to.include({ code: "conflict", message: "errors.leave_holiday_exists" });
    });

    it("move, rename and switch one; the date of another is 409", async () => {
      const { id } = (await create({ date: "2030-06-03" })).body;
      expect((await patch(id, { date: "2030-06-04", name_i18n: { en: "Bridge" }, active: false })).body).to.deep.include({
        date: "2030-06-04",
        name_i18n: { en: "Bridge" },
        active: false,
      });
      expect((await patch(id, { date: "2030-01-01" })).body.error.message).to.equal("errors.leave_holiday_exists");
      for (const field of ["date", "name_i18n", "active"])
        expect(refusalOf(await patch(id, { [field]: null }))).to.deep.equal(invalidOn({ [field]: "errors.validation" }));
    });

    it("never re-price stored leave", async () => {
      const leave = new Leave(service, tenant);
      const id = await leave.book(tenant.owner, "sick", "2030-06-03", 8);
      await create({ date: "2030-06-03" });
      const { rows } = await service.sql.query("select hours from leave_requests where id = $1", [id]);
      expect(rows).to.deep.equal([{ hours: "8.00" }]);
    });

    it("need leave.holiday.write, which an import needs too", async () => {
      const member = await tenant.member("member");
      const [{ id }] = (await list()) as [Holiday];
      expect((await member.post("/leave/holidays", { date: "2030-06-03" })).status).to.equal(403);
      expect((await member.patch(`/leave/holidays/${id}`, { active: false })).status).to.equal(403);
      expect((await member.delete(`/leave/holidays/${id}`)).status).to.equal(403);
      expect((await member.post("/leave/holidays/import", { year: 2030 })).status).to.equal(403);
    });
  });

  describe("an import", () => {
    it("creates a year's 11, and nothing the second time", async () => {
      expect(await load(2032)).to.deep.equal({ created: 11, updated: 0, skipped: 0 });
      expect(await load(2032)).to.deep.equal({ created: 0, updated: 0, skipped: 11 });
    });

    it("makes the current year whole where it is the first use", async () => {
      expect(await load(2030)).to.deep.equal({ created: 11, updated: 0, skipped: 0 });
      expect((await list("?year=2031")).length).to.equal(11);
    });

    it("leaves a deactivated row alone wherever it is, and brings a deleted one back", async () => {
      await load(2032);
      const friday = await byKey("goede_vrijdag", "?year=2032");
      await ok(patch(friday.id, { active: false, date: "2032-03-25" }));
      const easter = await byKey("eerste_paasdag", "?year=2032");
      expect((await tenant.owner.delete(`/leave/holidays/${easter.id}`)).status).to.equal(204);
      expect(await load(2032)).to.deep.equal({ created: 1, updated: 0, skipped: 10 });
      const rows = await list("?year=2032&include_inactive=true");
      expect(rows.find(({ id }) => id === friday.id)).to.include({ active: false, date: "2032-03-25" });
    });

    it("moves a row back to its date unless another holds it; that other is never touched", async () => {
      await load(2032);
      const king = await byKey("koningsdag", "?year=2032");
      const liberation = await byKey("bevrijdingsdag", "?year=2032");
      await ok(patch(king.id, { date: "2032-04-20" }));
      await ok(patch(liberation.id, { date: "2032-04-21" }));
      const manual = (await create({ date: "2032-05-05", name_i18n: { nl: "Eigen" } })).body;
      expect(await load(2032)).to.deep.equal({ created: 0, updated: 1, skipped: 10 });
      expect((await byKey("koningsdag", "?year=2032")).date).to.equal("2032-04-27");
      expect((await byKey("bevrijdingsdag", "?year=2032")).date).to.equal("2032-04-21");
      expect((await list("?year=2032")).find(({ id }) => id === manual.id)).to.deep.equal(manual);
    });

    it("leaves out a date that a manual row holds", async () => {
      await create({ date: "2032-01-01" });
      expect(await load(2032)).to.deep.equal({ created: 10, updated: 0, skipped: 1 });
    });

    it("uses the given country, else that of the settings; an unknown one yields nothing", async () => {
      expect((await load(2032, { country: "XX" })).created).to.equal(0);
      expect(await load(2033, { country: "xx" })).to.deep.equal({ created: 0, updated: 0, skipped: 0 });
      expect((await load(2034, { country: "be" })).created).to.be.greaterThan(9);
      expect((await list("?year=2034"))[0]?.source).to.equal("be");
    });

    it("runs twice at once without a double", async () => {
      await list();
      const results = await Promise.all([load(2032), load(2032)]);
      expect(results.map(({ created }: { created: number }) => created).sort()).to.deep.equal([0, 11]);
    });

    it("puts Dutch King's Day on the 26th when the 27th is a Sunday", async () => {
      await load(2031);
      expect((await byKey("koningsdag", "?year=2031")).date).to.equal("2031-04-26");
    });
  });
});

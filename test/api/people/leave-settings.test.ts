import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { invalidOn, refusalOf } from "../clients/companies/company-records.ts";
import { clock, DEFAULT_WEEK, FOUR_DAYS, Leave, licensed, ok } from "./leave-people.ts";

describe("leave settings", () => {
  let service: TestService;
  let tenant: Tenant;
  const now = clock();
  before(async () => {
    service = await sharedService("clock");
    await licensed(service);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  afterEach(now.restore);
  after(() => service.stop());

  const get = () => tenant.owner.get("/leave/settings");
  const put = (body: unknown, call = {}) => tenant.owner.put("/leave/settings", body, call);

  it("are defaults until the first save, and a read saves nothing", async () => {
    expect((await get()).body).to.deep.equal({
      default_schedule: DEFAULT_WEEK,
      holiday_country: null,
      holiday_auto_import: true,
      self_approval: false,
      recurring_horizon_months: 12,
      default_hourly_rate: null,
    });
    expect(
      (await service.sql.query("select 1 from leave_settings where organisation_id = $1", [tenant.organisation.id])).rows,
    ).to.deep.equal([]);
  });

  it("write only the sent fields", async () => {
    expect((await put({ self_approval: true })).body).to.include({ self_approval: true, recurring_horizon_months: 12 });
    expect((await put({ recurring_horizon_months: 24, default_hourly_rate: "42.5", holiday_country: "DE" })).body).to.include({
      self_approval: true,
      recurring_horizon_months: 24,
      default_hourly_rate: "42.50",
      holiday_country: "DE",
    });
    expect((await get()).body).to.include({ self_approval: true, default_hourly_rate: "42.50" });
  });

  it("clear the country and the rate with null, and nothing else", async () => {
    await put({ holiday_country: "DE", default_hourly_rate: 1 });
    expect((await put({ holiday_country: null, default_hourly_rate: null })).body).to.include({
      holiday_country: null,
      default_hourly_rate: null,
    });
    for (const field of ["default_schedule", "holiday_auto_import", "self_approval", "recurring_horizon_months"])
      expect(refusalOf(await put({ [field]: null })), field).to.deep.equal(invalidOn({ [field]: "errors.validation" }));
  });

  const refused: [what: string, body: object, field: string][] = [
    ["a horizon of no months", { recurring_horizon_months: 0 }, "recurring_horizon_months"],
    ["a horizon of 25 months", { recurring_horizon_months: 25 }, "recurring_horizon_months"],
    ["a rate below nothing", { default_hourly_rate: -0.01 }, "default_hourly_rate"],
    ["a rate over 100000", { default_hourly_rate: "100000.01" }, "default_hourly_rate"],
    ["a country of three letters", { holiday_country: "NLD" }, "holiday_country"],
  ];
  for (const [what, body, field] of refused)
    it(`refuse ${what}`, async () => {
      expect(refusalOf(await put(body))).to.deep.equal(invalidOn({ [field]: "errors.validation" }));
    });

  it("take a rate of 0 and of 100000", async () => {
    expect((await put({ default_hourly_rate: 0 })).body.default_hourly_rate).to.equal("0.00");
    expect((await put({ default_hourly_rate: 100000 })).body.default_hourly_rate).to.equal("100000.00");
  });

  describe("a working week", () => {
    const week = (mon: unknown, rest = {}) => put({ default_schedule: { mon, ...rest } });
    const on = (start: string, end: string, breaks: [string, string][] = []) => ({
      start,
      end,
      breaks: breaks.map(([from, to]) => ({ start: from, end: to })),
    });
    const bad: [what: string, mon: unknown, key: string][] = [
      ["an end that is not after the start", on("09:00", "09:00"), "errors.leave_schedule_day_invalid"],
      ["a break that ends before it starts", on("09:00", "17:00", [["13:00", "12:00"]]), "errors.leave_schedule_break_invalid"],
      ["a break outside of the day", on("09:00", "17:00", [["16:30", "17:30"]]), "errors.leave_schedule_break_outside"],
      [
        "breaks that overlap",
        on("09:00", "17:00", [
          ["12:00", "13:00"],
          ["12:30", "13:30"],
        ]),
        "errors.leave_schedule_breaks_overlap",
      ],
      [
        "breaks that eat the whole day",
        on("09:00", "10:00", [
          ["09:00", "09:30"],
          ["09:30", "10:00"],
        ]),
        "errors.leave_schedule_day_empty",
      ],
    ];
    for (const [what, mon, key] of bad)
      it(`refuses ${what}, under its weekday`, async () => {
        expect(refusalOf(await week(mon))).to.deep.equal(invalidOn({ mon: key }));
      });

    it("refuses one without a working day, under its own field", async () => {
      expect(refusalOf(await put({ default_schedule: {} }))).to.deep.equal(
        invalidOn({ default_schedule: "errors.leave_schedule_empty" }),
      );
    });

    it("names every wrong weekday at once", async () => {
      const { body } = await put({ default_schedule: { mon: on("9:00", "17:00"), tue: on("17:00", "09:00") } });
      expect(body.error.code).to.equal("validation");
      const both = await put({ default_schedule: { mon: on("09:00", "08:00"), tue: on("17:00", "09:00") } });
      expect(Object.keys(both.body.error.fields)).to.deep.equal(["mon", "tue"]);
    });

    it("is stored with all seven days, breaks by start, without seconds; breaks may touch", async () => {
      const { body } = await week(
        on("09:00:30", "17:00", [
          ["13:00", "13:30"],
          ["12:30", "13:00"],
        ]),
      );
      expect(body.default_schedule).to.deep.equal({
        mon: on("09:00", "17:00", [
          ["12:30", "13:00"],
          ["13:00", "13:30"],
        ]),
        tue: null,
        wed: null,
        thu: null,
        fri: null,
        sat: null,
        sun: null,
      });
    });
  });

  it("honour If-Match, also before anything was saved", async () => {
    const { etag } = (await get()).headers;
    const saved = await put({ self_approval: true }, { headers: { "If-Match": etag } });
    expect(saved.status).to.equal(200);
    expect((await put({ self_approval: false }, { headers: { "If-Match": etag } })).status).to.equal(412);
    expect((await get()).headers.etag).to.equal(saved.headers.etag);
    expect((await put({ self_approval: false }, { headers: { "If-Match": saved.headers.etag } })).status).to.equal(200);
  });

  it("are the manager's: reading and writing need leave.profile.manage", async () => {
    const member = await tenant.member("member");
    expect((await member.get("/leave/settings")).status).to.equal(403);
    expect((await member.put("/leave/settings", { self_approval: true })).status).to.equal(403);
    const manager = await tenant.member("member", { grants: ["leave.profile.manage"] });
    expect((await manager.put("/leave/settings", { self_approval: true })).status).to.equal(200);
  });

  it("recompute everyone's generated pots when the full-time week changes, people without contract included; manual pots stay", async () => {
    // In the last hour of a year in UTC it is the next where the organisation is.
    now.set("2027-06-15");
    const leave = new Leave(service, tenant);
    const year = 2027;
    const employed = await leave.employee(32);
    const uncontracted = await tenant.member("member");
    await leave.generate(year);
    await leave.generate(year + 3);
    await leave.pot(uncontracted, "vacation_extra", year, 99);
    const past = await leave.pot(employed, "vacation_extra", year - 1, 7);
    await service.sql.query("update leave_entitlements set source = 'generated' where id = $1", [past.id]);
    expect((await leave.pots(uncontracted, year))["vacation_statutory"]).to.equal("160.00");
    const before = await leave.pots(employed, year);

    await ok(put({ default_schedule: FOUR_DAYS }));
    const after = await leave.pots(employed, year);
    expect(before["roostervrij"]).to.not.equal(undefined);
    expect(after["roostervrij"], "the norm is the contract now").to.equal(undefined);
    expect(after["vacation_statutory"]).to.equal(before["vacation_statutory"]);
    for (const one of [year, year + 3]) expect((await leave.pots(uncontracted, one))["vacation_statutory"]).to.equal("128.00");
    expect((await leave.pots(uncontracted, year))["vacation_extra"]).to.equal("99.00");
    expect((await leave.pots(employed, year - 1))["vacation_extra"], "the past").to.equal("7.00");
  });

  it("recompute nothing for other hours of the same total", async () => {
    now.set("2027-06-15");
    const leave = new Leave(service, tenant);
    const year = 2027;
    const person = await leave.employee(32);
    await leave.generate(year);
    await service.sql.query("update leave_entitlements set hours = 1 where user_id = $1", [person.accountId]);
    const before = await leave.pots(person, year);
    const shifted = Object.fromEntries(
      Object.entries(DEFAULT_WEEK).map(([key, value]) => [key, value && { ...(value as object), start: "09:00", end: "17:30" }]),
    );
    await ok(put({ default_schedule: shifted }));
    await ok(put({ self_approval: true }));
    expect(await leave.pots(person, year)).to.deep.equal(before);
  });
});

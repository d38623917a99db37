import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { invalidOn, refusalOf } from "../clients/companies/company-records.ts";
import { clock, DEFAULT_WEEK, FOUR_DAYS, Leave, licensed, ok, UNEVEN } from "./leave-people.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

describe("leave profiles", () => {
  let service: TestService;
  let tenant: Tenant;
  let leave: Leave;
  const now = clock();
  before(async () => {
    service = await sharedService("clock");
    await licensed(service);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    leave = new Leave(service, tenant);
    now.set("2030-02-04");
  });
  afterEach(now.restore);
  after(() => service.stop());

  const put = (id: string, body: unknown) => tenant.owner.put(`/leave/profiles/${id}`, body);

  describe("GET /leave/profile", () => {
    it("is the organisation's week for a person without anything", async () => {
      const person = await tenant.member("member");
      expect((await person.get("/leave/profile")).body).to.deep.equal({
        user_id: person.accountId,
        schedule: DEFAULT_WEEK,
        hours_per_week: "40.00",
        hours_per_day: "8.00",
        inherited: true,
        employment_type: null,
      });
    });

    it("prefers the contract's week to the profile's, and the profile's to the organisation's", async () => {
      const person = await leave.employee(32);
      const mine = async () => (await person.get("/leave/profile")).body;
      expect(await mine()).to.include({ hours_per_week: "40.00", inherited: true, employment_type: "employee" });
      await service.sql.query(
        "insert into leave_profiles (id, organisation_id, user_id, schedule) values (gen_random_uuid(), $1, $2, $3)",
        [tenant.organisation.id, person.accountId, JSON.stringify(FOUR_DAYS)],
      );
      expect(await mine()).to.include({ hours_per_week: "32.00", hours_per_day: "8.00", inherited: false });
      await service.sql.query("update leave_contracts set schedule = $2 where user_id = $1", [
        person.accountId,
        JSON.stringify(UNEVEN),
      ]);
      expect(await mine()).to.include({ hours_per_week: "15.75", hours_per_day: "5.25", inherited: false });
    });

    it("shows the week in force today, not a past or coming contract's", async () => {
      const person = await leave.employee(40, "2029-01-01", { end_date: "2030-02-03", schedule: FOUR_DAYS });
      await leave.contract(person, 16, "2030-02-05", { schedule: UNEVEN });
      expect((await person.get("/leave/profile")).body).to.include({ hours_per_week: "40.00", employment_type: null });
      now.set("2030-02-05");
      expect((await person.get("/leave/profile")).body).to.include({ hours_per_week: "15.75", employment_type: "employee" });
    });

    it("keeps a stored number of hours with no schedule anywhere", async () => {
      const person = await tenant.member("member");
      await ok(put(person.accountId, { hours_per_week: 32 }));
      expect((await person.get("/leave/profile")).body).to.include({
        hours_per_week: "32.00",
        hours_per_day: "8.00",
        inherited: true,
      });
    });

    it("is today in the organisation's zone", async () => {
      const person = await leave.employee(16, "2030-03-01", { schedule: UNEVEN });
      await service.sql.query("update organisations set timezone = 'Pacific/Kiritimati' where id = $1", [tenant.organisation.id]);
      now.set("2030-02-28"); // noon UTC is 02:00 on 1 March there
      expect((await person.get("/leave/profile")).body.employment_type).to.equal("employee");
    });

    it("follows the organisation for a service account", async () => {
      const robot = await tenant.serviceAccount(["leave.request.read:any"]);
      expect((await robot.get("/leave/profile")).body).to.include({
        hours_per_week: "40.00",
        inherited: true,
        employment_type: null,
      });
    });
  });

  describe("PUT /leave/profiles/{user_id}", () => {
    it("stores a week with its hours, and ignores sent hours", async () => {
      const person = await tenant.member("member");
      const { body } = await put(person.accountId, { schedule: FOUR_DAYS, hours_per_week: 12 });
      expect(body).to.deep.equal({
        user_id: person.accountId,
        schedule: { ...FOUR_DAYS, fri: null },
        hours_per_week: "32.00",
        hours_per_day: "8.00",
      });
    });

    it("goes back to the default week and its hours with null", async () => {
      const person = await tenant.member("member");
      await ok(put(person.accountId, { schedule: FOUR_DAYS }));
      expect((await put(person.accountId, { schedule: null })).body).to.include({ schedule: null, hours_per_week: "40.00" });
    });

    it("stores hours alone only where no own week is", async () => {
      const person = await tenant.member("member");
      expect((await put(person.accountId, { hours_per_week: 24 })).body).to.include({ schedule: null, hours_per_week: "24.00" });
      expect((await put(person.accountId, { hours_per_week: null })).body).to.include({ hours_per_week: "24.00" });
      await ok(put(person.accountId, { schedule: FOUR_DAYS }));
      expect((await put(person.accountId, { hours_per_week: 24 })).body).to.include({ hours_per_week: "32.00" });
    });

    it("writes the week onto today's and coming contracts, not onto ended ones, and recomputes the pots", async () => {
      const person = await leave.employee(32, "2029-01-01", { end_date: "2030-02-03" });
      await leave.contract(person, 32, "2030-02-04", { end_date: "2030-12-31" });
      await leave.contract(person, 32, "2031-01-01");
      await leave.generate(2030);
      const before = await leave.pots(person, 2030);
      await ok(put(person.accountId, { schedule: UNEVEN }));
      const { body } = await tenant.owner.get(`/leave/contracts?user_id=${person.accountId}`);
      expect(body.map(({ schedule }: { schedule: unknown }) => schedule !== null)).to.deep.equal([false, true, true]);
      const after = await leave.pots(person, 2030);
      expect(after["vacation_statutory"], "contract hours drive vacation").to.equal(before["vacation_statutory"]);
      // 8 h a week over the year, in halves of 8 h and then of 5.25 h.
      expect([before["roostervrij"], after["roostervrij"]]).to.deep.equal(["416.00", "417.38"]);
    });

    it("takes a week off running contracts with null", async () => {
      const person = await leave.employee(32, "2029-01-01", { schedule: FOUR_DAYS });
      await ok(put(person.accountId, { schedule: null }));
      const { body } = await tenant.owner.get(`/leave/contracts?user_id=${person.accountId}`);
      expect(body[0].schedule).to.equal(null);
      expect((await person.get("/leave/profile")).body).to.include({ hours_per_week: "40.00", inherited: true });
    });

    const refused: [what: string, body: object, fields: Record<string, string>][] = [
      ["no hours", { hours_per_week: 0 }, { hours_per_week: "errors.validation" }],
      ["hours of which rounding leaves none", { hours_per_week: "0.004" }, { hours_per_week: "errors.validation" }],
      ["over 80 hours", { hours_per_week: "80.01" }, { hours_per_week: "errors.validation" }],
      ["a week without work", { schedule: {} }, { schedule: "errors.leave_schedule_empty" }],
      [
        "a day that ends before it starts",
        { schedule: { tue: { start: "12:00", end: "11:00" } } },
        { tue: "errors.leave_schedule_day_invalid" },
      ],
    ];
    for (const [what, body, fields] of refused)
      it(`refuses ${what}`, async () => {
        expect(refusalOf(await put(tenant.owner.accountId, body))).to.deep.equal(invalidOn(fields));
      });

    it("answers 404 for a non-member, and 403 to callers who do not manage profiles", async () => {
      const stranger = await (await service.tenant()).member("member");
      for (const id of [UNKNOWN, stranger.accountId]) expect((await put(id, { hours_per_week: 8 })).status).to.equal(404);
      const member = await tenant.member("member");
      expect((await member.put(`/leave/profiles/${member.accountId}`, { hours_per_week: 8 })).status).to.equal(403);
    });

    it("does nothing for a body that says nothing", async () => {
      const person = await tenant.member("member");
      expect((await put(person.accountId, {})).status).to.equal(200);
      expect((await service.sql.query("select 1 from leave_profiles where user_id = $1", [person.accountId])).rows).to.deep.equal(
        [],
      );
    });
  });

  describe("GET /leave/profiles", () => {
    const list = async (query = "") =>
      (await tenant.owner.get(`/leave/profiles${query}`)).body as { user_id: string; schedule: unknown }[];

    it("lists members with a stored profile, or a contract in force that carries a week, by name", async () => {
      const stored = await tenant.member("member", { name: "Zita" });
      await ok(put(stored.accountId, { hours_per_week: 32 }));
      const week = await tenant.member("member", { name: "anna" });
      await leave.contract(week, 32, "2030-01-01", { schedule: FOUR_DAYS });
      await leave.employee(32, "2030-01-01");
      await leave.employee(32, "2030-03-01", { schedule: FOUR_DAYS });
      const rows = await list();
      expect(rows.map(({ user_id }) => user_id)).to.deep.equal([week.accountId, stored.accountId]);
      expect(rows.map(({ schedule }) => schedule !== null)).to.deep.equal([true, false]);
    });

    it("omits former members", async () => {
      const person = await tenant.member("member");
      await ok(put(person.accountId, { hours_per_week: 32 }));
      await service.sql.query("delete from memberships where id = $1", [person.membershipId]);
      expect(await list()).to.deep.equal([]);
    });

    it("narrows to rows changed since an instant", async () => {
      const person = await tenant.member("member");
      await ok(put(person.accountId, { hours_per_week: 32 }));
      await service.sql.query("update leave_profiles set updated_at = '2026-01-01T00:00:00Z' where user_id = $1", [
        person.accountId,
      ]);
      expect((await list("?updated_since=2026-01-01T00:00:00Z")).length).to.equal(1);
      expect((await list("?updated_since=2026-01-01T00:00:01Z")).length).to.equal(0);
    });

    it("is the manager's", async () => {
      expect((await (await tenant.member("member")).get("/leave/profiles")).status).to.equal(403);
    });
  });
});

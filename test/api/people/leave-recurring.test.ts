import { expect } from "chai";
import {
  type LeaveService,
  type LeaveTenant,
  refused,
  setContract,
  setPot,
  sharedLeaveService,
  unfit,
} from "../../support/leave.ts";
import type { Caller } from "../../support/service.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const FORBIDDEN = [403, "forbidden", "errors.forbidden"];
const NEEDS_MANAGER = [403, "forbidden", "errors.leave_recurring_needs_manager"];
const NOT_FOUND = [404, "not_found", "errors.not_found"];

describe("recurring free days", () => {
  let service: LeaveService;
  let tenant: LeaveTenant;
  before(async () => {
    service = await sharedLeaveService("2029-12-03");
  });
  beforeEach(async () => {
    service.today("2029-12-03");
    tenant = await service.leaveTenant();
  });
  after(() => service.stop());

  const plan = (who: Caller, body: object) =>
    who.post("/leave/recurring", {
      user_id: tenant.employee.accountId,
      leave_type_id: tenant.types["roostervrij"],
      anchor_date: "2030-02-04",
      interval_weeks: 4,
      ...body,
    });
  const planned = async (body: object = {}, who: Caller = tenant.owner) => {
    const answer = await plan(who, body);
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body;
  };
  const change = (id: string, body: object, who: Caller = tenant.owner) => who.patch(`/leave/recurring/${id}`, body);
  const pot = (year: number, hours: number, key = "roostervrij") =>
    setPot(service, tenant, {
      user_id: tenant.employee.accountId,
      leave_type_id: tenant.types[key] as string,
      year,
      hours,
    });
  const contract = (hours: number, start_date: string, end_date?: string) =>
    setContract(service, tenant, { user_id: tenant.employee.accountId, hours, start_date, ...(end_date && { end_date }) });
  const daysOf = async (status?: string): Promise<string[]> => {
    const { rows } = await service.sql.query(
      "select start_date::text as day from leave_requests where organisation_id = $1 and ($2::text is null or status = $2) order by 1",
      [tenant.organisation.id, status ?? null],
    );
    return rows.map(({ day }) => day);
  };
  /** Places nothing by balance: a type that spends no pot. */
  const sick = () => ({ leave_type_id: tenant.types["sick"] });

  describe("who plans what", () => {
    it("a manager any type for anyone, of a type that needs approval too; those days are approved at once", async () => {
      const body = await planned({ leave_type_id: tenant.types["special"], interval_weeks: 8, note: "cursus" });
      expect([body.user_id, body.generated > 0]).to.deep.equal([tenant.employee.accountId, true]);
      const { items } = (await tenant.employee.get("/leave/requests")).body;
      expect(items.at(-1)).to.deep.include({
        status: "approved",
        start_date: "2030-02-04",
        end_date: "2030-02-04",
        hours: "8.00",
        note: "cursus",
        recurring_day_id: body.id,
        decided_by_user_id: null,
      });
    });

    it("a member only own days of an active self-service type, with a balance or without", async () => {
      await pot(2030, 40);
      expect((await plan(tenant.employee, {})).status).to.equal(201);
      expect((await plan(tenant.employee, { ...sick(), anchor_date: "2030-02-05" })).status).to.equal(201);
      expect(refused(await plan(tenant.employee, { leave_type_id: tenant.types["special"] }))).to.deep.equal(NEEDS_MANAGER);
      expect(refused(await plan(tenant.employee, { user_id: tenant.owner.accountId, ...sick() }))).to.deep.equal(NEEDS_MANAGER);
    });

    it("nobody an inactive type, an unknown one, or for a non-member", async () => {
      await service.sql.query("update leave_types set active = false where id = $1", [tenant.types["sick"]]);
      expect(refused(await plan(tenant.owner, sick()))).to.deep.equal(unfit({ leave_type_id: "errors.validation" }));
      expect(refused(await plan(tenant.owner, { leave_type_id: UNKNOWN }))).to.deep.equal(NOT_FOUND);
      const elsewhere = await service.tenant();
      for (const user_id of [UNKNOWN, elsewhere.owner.accountId])
        expect(refused(await plan(tenant.owner, { user_id }))).to.deep.equal(NOT_FOUND);
    });

    it("refuses a window the wrong way round, and cadences out of range", async () => {
      expect(refused(await plan(tenant.owner, { start_time: "12:00", end_time: "12:00" }))).to.deep.equal(
        unfit({ end_time: "errors.leave_end_time_before_start" }),
      );
      for (const [field, value] of [
        ["interval_weeks", 0],
        ["interval_weeks", 9],
        ["days_per_year", 0],
        ["days_per_year", 367],
      ] as const)
        expect(refused(await plan(tenant.owner, { [field]: value }))).to.deep.equal(unfit({ [field]: "errors.validation" }));
    });
  });

  describe("GET /leave/recurring", () => {
    it("lists one's own with the days still ahead; one person's or everyone's for a manager", async () => {
      const own = await planned({ ...sick(), interval_weeks: 8, user_id: tenant.owner.accountId });
      const theirs = await planned({ ...sick(), interval_weeks: 8 });
      const { generated, ...read } = theirs;
      expect((await tenant.employee.get("/leave/recurring")).body).to.deep.equal([read]);
      expect([read.upcoming_days, generated]).to.deep.equal([6, 6]);
      const idsOf = async (query: string) =>
        (await tenant.owner.get(`/leave/recurring${query}`)).body.map((one: { id: string }) => one.id).sort();
      expect(await idsOf("")).to.deep.equal([own.id, theirs.id].sort());
      expect(await idsOf(`?user_id=${tenant.employee.accountId}`)).to.deep.equal([theirs.id]);
      expect(refused(await tenant.employee.get(`/leave/recurring?user_id=${tenant.owner.accountId}`))).to.deep.equal(FORBIDDEN);
      service.today("2030-02-05");
      expect((await tenant.employee.get("/leave/recurring")).body[0].upcoming_days).to.equal(5);
    });
  });

  describe("placement", () => {
    it("example 17: every two weeks a lost Easter Monday is lost; weekly with a window until the pot is used", async () => {
      await contract(36, "2030-01-01", "2030-06-30");
      const days = await planned({ anchor_date: "2030-04-08", interval_weeks: 2 });
      expect(days.generated).to.equal(5);
      expect(await daysOf()).to.deep.equal(["2030-04-08", "2030-05-06", "2030-05-20", "2030-06-03", "2030-06-17"]);
      const hours = await planned({ anchor_date: "2030-05-01", interval_weeks: 1, start_time: "13:30" });
      expect(hours.generated).to.equal(9);
      const { body } = await tenant.employee.get("/leave/free-time?year=2030");
      expect([body.entitled_hours, body.placed_hours, body.unplaced_hours]).to.deep.equal(["104.00", "71.50", "32.50"]);
    });

    it("example 18: thirteen days spread over a year from 1 March are eleven; a second run places none", async () => {
      await service.sql.query(
        "insert into leave_settings (id, organisation_id, recurring_horizon_months) values (gen_random_uuid(), $1, 13)",
        [tenant.organisation.id],
      );
      await contract(36, "2030-01-01");
      const body = await planned({ anchor_date: "2030-03-01", days_per_year: 13, interval_weeks: undefined });
      expect(body.interval_weeks).to.equal(4);
      expect((await daysOf()).filter((day) => day < "2031")).to.deep.equal([
        "2030-03-01",
        "2030-03-29",
        "2030-04-26",
        "2030-05-24",
        "2030-06-21",
        "2030-07-19",
        "2030-08-16",
        "2030-09-13",
        "2030-10-11",
        "2030-11-08",
        "2030-12-06",
      ]);
      expect((await change(body.id, {})).body.generated).to.equal(0);
    });

    it("example 20: the pot is the cap; a day that does not fit is tried again when there is more", async () => {
      await pot(2030, 20);
      const body = await planned();
      expect([body.generated, await daysOf()]).to.deep.equal([2, ["2030-02-04", "2030-03-04"]]);
      await service.sql.query("update leave_entitlements set hours = 32 where organisation_id = $1", [tenant.organisation.id]);
      expect((await change(body.id, {})).body.generated).to.equal(2);
      expect(await daysOf()).to.deep.equal(["2030-02-04", "2030-03-04", "2030-04-01", "2030-04-29"]);
    });

    it("omits days that are worth nothing, and days on which the person is away already", async () => {
      await tenant.employee.post("/leave/requests", {
        leave_type_id: tenant.types["special"],
        start_date: "2030-02-06",
        end_date: "2030-02-13",
      });
      const body = await planned({ ...sick(), anchor_date: "2030-02-05", interval_weeks: 1 });
      expect(body.generated).to.be.greaterThan(40);
      const days = await daysOf("approved");
      expect(days).to.include("2030-02-05").and.to.include("2030-02-19");
      expect(days).not.to.include("2030-02-12");
      const weekend = await planned({ ...sick(), anchor_date: "2030-02-09", interval_weeks: 1 });
      expect(weekend.generated).to.equal(0);
    });

    it("reaches as far as the settings say, and no further than the last contract", async () => {
      await service.sql.query(
        "insert into leave_settings (id, organisation_id, recurring_horizon_months) values (gen_random_uuid(), $1, 3)",
        [tenant.organisation.id],
      );
      await planned({ ...sick(), anchor_date: "2029-12-10", interval_weeks: 4 });
      expect(await daysOf()).to.deep.equal(["2029-12-10", "2030-01-07", "2030-02-04"]);
      await contract(40, "2029-01-01", "2030-01-31");
      const { id } = await planned({ ...sick(), anchor_date: "2030-01-08", interval_weeks: 2 });
      expect((await daysOf()).filter((day) => day >= "2030-01-08")).to.deep.equal(["2030-01-08", "2030-01-22", "2030-02-04"]);
      expect((await change(id, {})).body.generated).to.equal(0);
    });

    it("never fills in past days", async () => {
      await planned({ ...sick(), anchor_date: "2029-11-05", interval_weeks: 2 });
      expect((await daysOf())[0]).to.equal("2029-12-03");
    });

    it("never places a spent day again: moved, cancelled or standing", async () => {
      const { id } = await planned({ ...sick(), interval_weeks: 8 });
      const { items } = (await tenant.employee.get("/leave/requests?sort=start_date")).body;
      await tenant.employee.post(`/leave/requests/${items[0].id}/cancel`);
      const moved = await tenant.employee.patch(`/leave/requests/${items[1].id}`, {
        start_date: "2030-04-02",
        end_date: "2030-04-02",
      });
      expect(moved.status).to.equal(200);
      const before = await daysOf();
      expect((await change(id, {})).body.generated).to.equal(0);
      expect(await daysOf()).to.deep.equal(before);
    });

    it("derives the pots of this year and the next that it spends", async () => {
      await contract(36, "2030-01-01");
      expect((await planned({ interval_weeks: 8 })).generated).to.be.greaterThan(0);
      const { rows } = await service.sql.query(
        "select hours from leave_entitlements where user_id = $1 and year = 2030 and leave_type_id = $2",
        [tenant.employee.accountId, tenant.types["roostervrij"]],
      );
      expect(rows).to.deep.equal([{ hours: "208.00" }]);
    });

    it("records every placed day as approved leave without a notification", async () => {
      const { generated } = await planned({ ...sick(), interval_weeks: 8 });
      const { rows } = await service.sql.query("select event, payload from recorded where organisation_id = $1 order by seq", [
        tenant.organisation.id,
      ]);
      expect(rows).to.have.length(generated);
      expect(rows[0].event).to.equal("leave.approved");
      expect(rows[0].payload).to.deep.include({
        recipients: [],
        start_date: "2030-02-04",
        hours: "8.00",
        days: [{ date: "2030-02-04", hours: "8.00", reason: null }],
      });
    });

    it("by two at the same moment places each day once", async () => {
      await pot(2030, 40);
      const { id } = await planned({ anchor_date: "2031-01-06" });
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => change(id, { anchor_date: "2030-02-04", interval_weeks: 2 })),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
      expect((await daysOf()).length).to.equal(5);
    });
  });

  describe("PATCH /leave/recurring/{recurring_id}", () => {
    it("places at once the changed pattern's days; existing days stay", async () => {
      const { id } = await planned({ ...sick(), anchor_date: "2030-02-05", interval_weeks: 8 });
      const before = await daysOf();
      const { body } = await change(id, { anchor_date: "2030-02-06" });
      expect(body.generated).to.be.greaterThan(0);
      expect(await daysOf())
        .to.include.members(before)
        .and.to.include("2030-02-06");
    });

    it("returns to intervals with days_per_year null, and spreads with a number", async () => {
      const { id } = await planned({ ...sick(), days_per_year: 26, interval_weeks: 5 });
      expect((await change(id, { days_per_year: 13 })).body).to.include({ days_per_year: 13, interval_weeks: 4 });
      expect((await change(id, { days_per_year: null, interval_weeks: 6 })).body).to.include({
        days_per_year: null,
        interval_weeks: 6,
      });
    });

    it("stops placing when it is switched off; placed days stay", async () => {
      const { id } = await planned({ ...sick(), interval_weeks: 8 });
      const before = await daysOf();
      expect((await change(id, { active: false, interval_weeks: 1 })).body).to.include({ active: false, generated: 0 });
      expect(await daysOf()).to.deep.equal(before);
      expect((await change(id, { active: true })).body.generated).to.be.greaterThan(0);
    });

    it("clears window and note with null, refuses null elsewhere", async () => {
      const { id } = await planned({ ...sick(), start_time: "13:00:30", end_time: "15:00", note: "x" });
      expect((await change(id, { start_time: null, end_time: null, note: null })).body).to.include({
        start_time: null,
        end_time: null,
        note: null,
      });
      for (const field of ["leave_type_id", "anchor_date", "interval_weeks", "active"])
        expect(refused(await change(id, { [field]: null })), field).to.deep.equal(unfit({ [field]: "errors.validation" }));
      expect(refused(await change(id, { start_time: "15:00", end_time: "13:00" }))).to.deep.equal(
        unfit({ end_time: "errors.leave_end_time_before_start" }),
      );
    });

    it("is a member's for own self-service patterns; another's does not exist", async () => {
      const { id } = await planned({ ...sick(), interval_weeks: 8 });
      expect((await change(id, { note: "x" }, tenant.employee)).body.note).to.equal("x");
      expect(refused(await change(id, { leave_type_id: tenant.types["special"] }, tenant.employee))).to.deep.equal(NEEDS_MANAGER);
      const other = await tenant.member("member");
      expect(refused(await change(id, { note: "x" }, other))).to.deep.equal(NOT_FOUND);
      expect(refused(await other.delete(`/leave/recurring/${id}`))).to.deep.equal(NOT_FOUND);
      const theirs = await planned({ leave_type_id: tenant.types["special"], interval_weeks: 8, anchor_date: "2030-02-05" });
      expect(refused(await change(theirs.id, { note: "x" }, tenant.employee))).to.deep.equal(NEEDS_MANAGER);
    });

    it("can keep a type that is no longer active, and then places nothing", async () => {
      const { id } = await planned({ ...sick(), interval_weeks: 8 });
      await service.sql.query("update leave_types set active = false where id = $1", [tenant.types["sick"]]);
      expect((await change(id, { interval_weeks: 4 })).body).to.include({ interval_weeks: 4, generated: 0 });
    });
  });

  describe("DELETE /leave/recurring/{recurring_id}", () => {
    it("leaves the days it placed, without their link", async () => {
      const { id, generated } = await planned({ ...sick(), interval_weeks: 8 });
      const { status, body } = await tenant.employee.delete(`/leave/recurring/${id}`);
      expect([status, body]).to.deep.equal([200, { withdrawn: 0 }]);
      const { items } = (await tenant.employee.get("/leave/requests?status=approved")).body;
      expect(items.map((one: { recurring_day_id: null }) => one.recurring_day_id)).to.deep.equal(Array(generated).fill(null));
      const { headers } = await tenant.employee.get(`/leave/requests/${items[0].id}`);
      expect(headers.etag, "the tag tells that the row has changed").to.equal('"2"');
    });

    it("with withdraw_days cancels those from today on that the caller may cancel", async () => {
      const { id, generated } = await planned({ ...sick(), interval_weeks: 4, anchor_date: "2029-12-10" });
      service.today("2030-01-08");
      const { body } = await tenant.employee.delete(`/leave/recurring/${id}?withdraw_days=true`);
      expect(body).to.deep.equal({ withdrawn: generated - 2 });
      expect(await daysOf("approved")).to.deep.equal(["2029-12-10", "2030-01-07"]);
    });

    it("skips leave that the caller cannot cancel: approved leave of a type that needs approval", async () => {
      await planned({ leave_type_id: tenant.types["special"], interval_weeks: 8 });
      const own = await tenant.member("member", {
        grants: ["leave.profile.manage", "leave.request.read:own", "leave.request.write:own"],
      });
      const theirs = await planned({ leave_type_id: tenant.types["special"], interval_weeks: 8, user_id: own.accountId });
      expect((await own.delete(`/leave/recurring/${theirs.id}?withdraw_days=true`)).body).to.deep.equal({ withdrawn: 0 });
    });
  });
});

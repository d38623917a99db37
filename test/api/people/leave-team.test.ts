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

const WINDOW = "date_from=2029-09-01&date_to=2029-09-30";

describe("leave of the team, and one's own at a glance", () => {
  let service: LeaveService;
  let tenant: LeaveTenant;
  before(async () => {
    service = await sharedLeaveService("2028-06-01");
  });
  beforeEach(async () => {
    service.today("2028-06-01");
    tenant = await service.leaveTenant();
  });
  after(() => service.stop());

  const ask = async (who: Caller, start_date: string, body: object = {}) => {
    const sent = { leave_type_id: tenant.types["vacation_statutory"], start_date, end_date: start_date, ...body };
    const answer = await who.post("/leave/requests", sent);
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body;
  };
  const team = async (query = WINDOW, who: Caller = tenant.employee) => (await who.get(`/leave/team?${query}`)).body;
  const idsOf = (items: { id: string }[]) => items.map(({ id }) => id);

  describe("GET /leave/team", () => {
    it("shows pending and approved leave that touches the window, whole, by start date, with names, to any holder", async () => {
      const late = await ask(tenant.employee, "2029-09-28", { end_date: "2029-10-02" });
      const early = await ask(tenant.owner, "2029-08-30", { end_date: "2029-09-03", leave_type_id: tenant.types["sick"] });
      const gone = await ask(tenant.employee, "2029-09-12");
      await tenant.employee.post(`/leave/requests/${gone.id}/cancel`);
      await ask(tenant.employee, "2029-10-09");
      const items = await team();
      expect(idsOf(items)).to.deep.equal([early.id, late.id]);
      expect(items[1]).to.deep.equal({
        id: late.id,
        user_id: tenant.employee.accountId,
        user_name: "Anna de Vries",
        leave_type_id: tenant.types["vacation_statutory"],
        status: "pending",
        start_date: "2029-09-28",
        end_date: "2029-10-02",
        start_time: null,
        end_time: null,
        resolved_start_time: null,
        resolved_end_time: null,
        hours: "24.00",
        days: [
          { date: "2029-09-28", hours: "8.00", reason: null },
          { date: "2029-09-29", hours: "0.00", reason: "not_scheduled" },
          { date: "2029-09-30", hours: "0.00", reason: "not_scheduled" },
          { date: "2029-10-01", hours: "8.00", reason: null },
          { date: "2029-10-02", hours: "8.00", reason: null },
        ],
        starts_at: null,
        ends_at: null,
      });
      const other = await tenant.member("member");
      expect(idsOf(await team(`${WINDOW}&user_id=${tenant.owner.accountId}`, other))).to.deep.equal([early.id]);
    });

    it("shows leave of a whole year that began long before the window", async () => {
      const { id } = await ask(tenant.employee, "2028-09-30", { end_date: "2029-09-30" });
      expect(idsOf(await team("date_from=2029-09-30&date_to=2029-09-30"))).to.deep.equal([id]);
    });

    it("example 22: stored hours are laid out by today's calendar, so the total stays", async () => {
      await ask(tenant.employee, "2029-09-10", { end_date: "2029-09-14" });
      for (const date of ["2029-09-12", "2029-09-13"])
        await service.sql.query("insert into leave_holidays (id, organisation_id, date) values (gen_random_uuid(), $1, $2)", [
          tenant.organisation.id,
          date,
        ]);
      const [{ days }] = await team();
      expect(days.map(({ hours, reason }: { hours: string; reason: string }) => [hours, reason])).to.deep.equal([
        ["13.34", null],
        ["13.33", null],
        ["0.00", "holiday"],
        ["0.00", "holiday"],
        ["13.33", null],
      ]);
    });

    it("puts everything on the start date where no day has a minute", async () => {
      await ask(tenant.owner, "2029-09-15", { end_date: "2029-09-16", user_id: tenant.employee.accountId, hours_override: 6 });
      const [{ days }] = await team();
      expect(days.map(({ hours }: { hours: string }) => hours)).to.deep.equal(["6.00", "0.00"]);
    });

    it("gives a single day its instants in the organisation's zone, and the window as it was written", async () => {
      await ask(tenant.employee, "2029-03-23", { start_time: "13:00" });
      await ask(tenant.employee, "2029-03-26");
      const times = async () =>
        (await team("date_from=2029-03-01&date_to=2029-03-31")).map((item: Record<string, string>) => [
          item["starts_at"],
          item["ends_at"],
          item["resolved_start_time"],
          item["resolved_end_time"],
        ]);
      const before = [
        ["2029-03-23T13:00:00+01:00", "2029-03-23T17:00:00+01:00", "13:00", "17:00"],
        ["2029-03-26T08:30:00+02:00", "2029-03-26T17:00:00+02:00", null, null],
      ];
      expect(await times()).to.deep.equal(before);
      const evening = { start: "12:00", end: "20:00", breaks: [] };
      const week = { mon: evening, tue: evening, wed: evening, thu: evening, fri: evening, sat: null, sun: null };
      await setContract(service, tenant, {
        user_id: tenant.employee.accountId,
        start_date: "2029-01-01",
        hours: 40,
        schedule: week,
      });
      expect(await times(), "the window is frozen, whole days follow the week").to.deep.equal([
        before[0],
        ["2029-03-26T12:00:00+02:00", "2029-03-26T20:00:00+02:00", null, null],
      ]);
    });

    it("keeps the window of a span through an edit that moves nothing, and writes it again with a new time", async () => {
      const { id } = await ask(tenant.employee, "2029-03-23", { start_time: "13:00" });
      const evening = { start: "12:00", end: "20:00", breaks: [] };
      const week = { mon: evening, tue: evening, wed: evening, thu: evening, fri: evening, sat: null, sun: null };
      const user_id = tenant.employee.accountId;
      await setContract(service, tenant, { user_id, start_date: "2029-01-01", hours: 40, schedule: week });
      const edited = async (body: object) => {
        const { hours } = (await tenant.employee.patch(`/leave/requests/${id}`, body)).body;
        const [item] = await team("date_from=2029-03-01&date_to=2029-03-31");
        return [hours, item["resolved_start_time"], item["resolved_end_time"]];
      };
      expect(await edited({ note: "x" }), "priced again, with the window as written").to.deep.equal(["7.00", "13:00", "17:00"]);
      expect(await edited({ start_time: "14:00" })).to.deep.equal(["6.00", "14:00", "20:00"]);
    });

    it("refuses windows of more than 400 days and the wrong way round", async () => {
      const read = (query: string) => tenant.employee.get(`/leave/team?${query}`);
      expect((await read("date_from=2029-01-01&date_to=2030-02-04")).status).to.equal(200);
      expect(refused(await read("date_from=2029-01-01&date_to=2030-02-05"))).to.deep.equal(
        unfit({ date_to: "errors.validation" }),
      );
      expect(refused(await read("date_from=2029-01-02&date_to=2029-01-01"))).to.deep.equal(
        unfit({ date_to: "errors.leave_end_before_start" }),
      );
      expect(refused(await read("date_from=2029-01-02"))).to.deep.equal(unfit({ date_to: "errors.required" }));
    });

    it("costs as many statements for many people and requests as for one", async () => {
      const counted = async () => {
        await team();
        const { body, statements } = await tenant.employee.get(`/leave/team?${WINDOW}`);
        return [body.length, statements];
      };
      await ask(tenant.employee, "2029-09-11");
      const [, few] = await counted();
      for (let n = 0; n < 12; n++) {
        const who = await tenant.member("member");
        await ask(who, "2029-09-11");
        await ask(who, "2029-09-18");
      }
      expect(await counted()).to.deep.equal([25, few]);
    });

    it("narrows to what changed since an instant", async () => {
      const { updated_at } = await ask(tenant.employee, "2029-09-11");
      const { id } = await ask(tenant.employee, "2029-09-12");
      const { body } = await tenant.employee.patch(`/leave/requests/${id}`, { note: "x" });
      expect(await team(`${WINDOW}&updated_since=${encodeURIComponent(updated_at)}`)).to.have.length(2);
      expect(idsOf(await team(`${WINDOW}&updated_since=${encodeURIComponent(body.updated_at)}`))).to.deep.equal([id]);
    });

    it("never shows another organisation's", async () => {
      await ask(tenant.employee, "2029-09-11");
      const elsewhere = await service.leaveTenant();
      expect(await team(WINDOW, elsewhere.owner)).to.deep.equal([]);
      expect(await team(`${WINDOW}&user_id=${tenant.employee.accountId}`, elsewhere.owner)).to.deep.equal([]);
    });
  });

  describe("GET /leave/summary", () => {
    it("reports remaining leave except free time, the week, pending and next leave", async () => {
      const user_id = tenant.employee.accountId;
      const pot = (key: string, hours: number) =>
        setPot(service, tenant, { user_id, leave_type_id: tenant.types[key] as string, year: 2028, hours });
      await pot("vacation_statutory", 100);
      await pot("vacation_extra", 20);
      await pot("roostervrij", 50);
      await ask(tenant.employee, "2028-07-04");
      await ask(tenant.employee, "2029-07-04");
      const next = await ask(tenant.employee, "2028-06-02", { end_date: "2028-06-05", leave_type_id: tenant.types["sick"] });
      const expected = {
        year: 2028,
        remaining_hours: "112.00",
        hours_per_week: "40.00",
        hours_per_day: "8.00",
        pending_count: 2,
        next_leave_id: next.id,
        next_leave_start: "2028-06-02",
        next_leave_end: "2028-06-05",
      };
      expect((await tenant.employee.get("/leave/summary")).body).to.deep.equal(expected);
      service.today("2028-06-05");
      expect((await tenant.employee.get("/leave/summary")).body.next_leave_id, "under way").to.equal(next.id);
      service.today("2028-06-06");
      expect((await tenant.employee.get("/leave/summary")).body.next_leave_id).to.equal(null);
    });

    it("derives this year's pots", async () => {
      expect((await tenant.employee.get("/leave/summary")).body.remaining_hours).to.equal("200.00");
    });

    it("is all zero for a service account", async () => {
      const robot = await tenant.serviceAccount(["leave.request.read:any"]);
      expect((await robot.get("/leave/summary")).body).to.include({
        remaining_hours: "0.00",
        pending_count: 0,
        next_leave_id: null,
      });
    });
  });
});

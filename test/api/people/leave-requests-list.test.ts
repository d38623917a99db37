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
const NOT_FOUND = [404, "not_found", "errors.not_found"];

describe("leave requests: reading and previewing", () => {
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
  const startsOf = async (who: Caller, query = ""): Promise<string[]> => {
    const { body } = await who.get(`/leave/requests${query}`);
    return body.items.map((one: { start_date: string }) => one.start_date);
  };

  describe("GET /leave/requests", () => {
    it("lists one's own, newest start first, in pages that count truly", async () => {
      for (const day of ["2029-03-06", "2029-01-09", "2029-09-11"]) await ask(tenant.employee, day);
      await ask(tenant.owner, "2029-05-01");
      expect(await startsOf(tenant.employee)).to.deep.equal(["2029-09-11", "2029-03-06", "2029-01-09"]);
      const { body } = await tenant.employee.get("/leave/requests?limit=1&offset=1");
      expect([body.items.length, body.total, body.limit, body.offset]).to.deep.equal([1, 3, 1, 1]);
      expect((await tenant.employee.get("/leave/requests?limit=201")).status).to.equal(422);
    });

    it("shows another's and everyone's only with read :any", async () => {
      await ask(tenant.employee, "2029-03-06");
      await ask(tenant.owner, "2029-05-01");
      for (const query of ["?all_users=true", `?user_id=${tenant.owner.accountId}`])
        expect(refused(await tenant.employee.get(`/leave/requests${query}`))).to.deep.equal(FORBIDDEN);
      expect(await startsOf(tenant.employee, `?user_id=${tenant.employee.accountId}`)).to.deep.equal(["2029-03-06"]);
      expect(await startsOf(tenant.owner, "?all_users=true")).to.deep.equal(["2029-05-01", "2029-03-06"]);
      expect(await startsOf(tenant.owner, `?user_id=${tenant.employee.accountId}`)).to.deep.equal(["2029-03-06"]);
      expect(await startsOf(tenant.owner, `?user_id=${UNKNOWN}`)).to.deep.equal([]);
    });

    it("is empty for a service account, which has no leave of its own", async () => {
      await ask(tenant.employee, "2029-03-06");
      const robot = await tenant.serviceAccount(["leave.request.read:any"]);
      expect(await startsOf(robot)).to.deep.equal([]);
      expect(await startsOf(robot, "?all_users=true")).to.deep.equal(["2029-03-06"]);
    });

    it("narrows by the year of the first day and by status", async () => {
      await ask(tenant.employee, "2029-12-27", { end_date: "2030-01-04" });
      const { id } = await ask(tenant.employee, "2030-03-05");
      await tenant.employee.post(`/leave/requests/${id}/cancel`);
      expect(await startsOf(tenant.employee, "?year=2029")).to.deep.equal(["2029-12-27"]);
      expect(await startsOf(tenant.employee, "?year=2030&status=cancelled")).to.deep.equal(["2030-03-05"]);
      expect(await startsOf(tenant.employee, "?status=pending")).to.deep.equal(["2029-12-27"]);
      for (const year of ["1999", "2101", "20.5"])
        expect(refused(await tenant.employee.get(`/leave/requests?year=${year}`))).to.deep.equal(
          unfit({ year: "errors.validation" }),
        );
      expect((await tenant.employee.get("/leave/requests?status=open")).status).to.equal(422);
    });

    it("sorts by each key in both directions, ties by start date ascending", async () => {
      const zara = await tenant.member("member", { name: "zara" });
      const made = [
        await ask(zara, "2029-03-06", { end_date: "2029-03-07" }),
        await ask(tenant.employee, "2029-02-06"),
        await ask(zara, "2029-01-09"),
        await ask(tenant.employee, "2029-04-10", { leave_type_id: tenant.types["sick"], end_date: "2029-04-11" }),
      ];
      const byCreation = made.map(({ start_date }) => start_date);
      const orders: Record<string, string[]> = {
        employee: ["2029-02-06", "2029-04-10", "2029-01-09", "2029-03-06"],
        "-employee": ["2029-01-09", "2029-03-06", "2029-02-06", "2029-04-10"],
        start_date: ["2029-01-09", "2029-02-06", "2029-03-06", "2029-04-10"],
        "-end_date": ["2029-04-10", "2029-03-06", "2029-02-06", "2029-01-09"],
        hours: ["2029-01-09", "2029-02-06", "2029-03-06", "2029-04-10"],
        "-hours": ["2029-03-06", "2029-04-10", "2029-01-09", "2029-02-06"],
        status: ["2029-04-10", "2029-01-09", "2029-02-06", "2029-03-06"],
        "-status": ["2029-01-09", "2029-02-06", "2029-03-06", "2029-04-10"],
        created_at: byCreation,
        "-created_at": [...byCreation].reverse(),
      };
      for (const [sort, starts] of Object.entries(orders))
        expect(await startsOf(tenant.owner, `?all_users=true&sort=${sort}`), sort).to.deep.equal(starts);
      expect(refused(await tenant.owner.get("/leave/requests?sort=note"))).to.deep.equal([
        400,
        "invalid_sort",
        "errors.invalid_sort",
        { sort: "errors.invalid_sort" },
      ]);
    });
  });

  describe("GET /leave/requests/{request_id}", () => {
    it("answers 404, never 403, to what one may not read", async () => {
      const { id } = await ask(tenant.employee, "2029-03-06");
      expect((await tenant.owner.get(`/leave/requests/${id}`)).status).to.equal(200);
      expect(refused(await (await tenant.member("member")).get(`/leave/requests/${id}`))).to.deep.equal(NOT_FOUND);
      const robot = await tenant.serviceAccount(["leave.request.read:own"]);
      expect(refused(await robot.get(`/leave/requests/${id}`))).to.deep.equal(NOT_FOUND);
    });
  });

  describe("POST /leave/requests/preview", () => {
    const preview = (who: Caller, body: object) =>
      who.post("/leave/requests/preview", { start_date: "2029-09-11", end_date: "2029-09-11", ...body });

    it("gives the figure that is then stored, day by day, and the days it comes to", async () => {
      const span = { start_date: "2029-09-11", end_date: "2029-09-15", start_time: "14:30", end_time: "11:00" };
      const { status, body } = await preview(tenant.employee, span);
      expect(status).to.equal(200);
      expect(body).to.deep.equal({
        hours: "26.50",
        days: "3.31",
        breakdown: [
          { date: "2029-09-11", hours: "2.50", reason: null },
          { date: "2029-09-12", hours: "8.00", reason: null },
          { date: "2029-09-13", hours: "8.00", reason: null },
          { date: "2029-09-14", hours: "8.00", reason: null },
          { date: "2029-09-15", hours: "0.00", reason: "not_scheduled" },
        ],
        remaining_hours: null,
        touches_past: false,
        requires_approval: false,
      });
      expect((await ask(tenant.employee, span.start_date, span)).hours).to.equal(body.hours);
    });

    it("answers a span worth nothing, and says why", async () => {
      const { body } = await preview(tenant.employee, { start_date: "2029-12-25", end_date: "2029-12-25" });
      expect([body.hours, body.breakdown[0].reason]).to.deep.equal(["0.00", "holiday"]);
      const early = await preview(tenant.employee, { start_time: "06:00", end_time: "07:00" });
      expect([early.body.hours, early.body.breakdown[0].reason]).to.deep.equal(["0.00", "outside_hours"]);
    });

    it("says whether the past is affected and whether approval is needed", async () => {
      const facts = async (body: object) => {
        const answer = await preview(tenant.employee, body);
        return [answer.body.touches_past, answer.body.requires_approval];
      };
      const sick = tenant.types["sick"];
      expect(await facts({ leave_type_id: tenant.types["special"] })).to.deep.equal([false, true]);
      expect(await facts({ leave_type_id: sick })).to.deep.equal([false, false]);
      expect(await facts({ leave_type_id: sick, start_date: "2028-05-31", end_date: "2028-06-02" })).to.deep.equal([true, true]);
      expect(await facts({ leave_type_id: sick, start_date: "2028-06-01", end_date: "2028-06-01" })).to.deep.equal([
        false,
        false,
      ]);
      const { id } = await ask(tenant.employee, "2028-06-02");
      service.today("2028-06-05");
      expect(await facts({ leave_type_id: sick, request_id: id })).to.deep.equal([true, true]);
      const { id: others } = await ask(tenant.owner, "2028-06-06");
      service.today("2028-06-07");
      expect(await facts({ leave_type_id: sick, request_id: others }), "another's request changes nothing").to.deep.equal([
        false,
        false,
      ]);
    });

    it("gives what remains of the whole group in the start year, and with the edited request as if that did not exist", async () => {
      const user_id = tenant.employee.accountId;
      const type = tenant.types["vacation_statutory"] as string;
      await setPot(service, tenant, { user_id, leave_type_id: type, year: 2029, hours: 24 });
      await setPot(service, tenant, { user_id, leave_type_id: tenant.types["vacation_extra"] as string, year: 2029, hours: 10 });
      const { id } = await ask(tenant.employee, "2029-12-19", { end_date: "2029-12-20" });
      const remaining = async (body: object) => (await preview(tenant.employee, body)).body.remaining_hours;
      expect(await remaining({ leave_type_id: type })).to.equal("18.00");
      expect(await remaining({ leave_type_id: type, request_id: id })).to.equal("34.00");
      expect(await remaining({ leave_type_id: tenant.types["sick"] })).to.equal(null);
    });

    it("derives the pots of this year and the next for a type that spends them, and stores them", async () => {
      const pots = async () =>
        (
          await service.sql.query("select year from leave_entitlements where user_id = $1 group by year order by year", [
            tenant.employee.accountId,
          ])
        ).rows.map(({ year }) => year);
      await preview(tenant.employee, { leave_type_id: tenant.types["sick"] });
      expect(await pots()).to.deep.equal([]);
      const { body } = await preview(tenant.employee, { leave_type_id: tenant.types["vacation_statutory"] });
      expect([body.remaining_hours, await pots()]).to.deep.equal(["200.00", [2029]]);
      await preview(tenant.employee, {
        leave_type_id: tenant.types["vacation_statutory"],
        start_date: "2030-03-05",
        end_date: "2030-03-05",
      });
      expect(await pots(), "not of the year after").to.deep.equal([2029]);
    });

    it("is a read: it works under a lapsed licence, with the same figures, and stores nothing", async () => {
      await service.sql.query("update product_licences set expires_at = '2020-01-01' where module = 'leave'");
      try {
        const { status, body } = await preview(tenant.employee, { leave_type_id: tenant.types["vacation_statutory"] });
        expect([status, body.remaining_hours]).to.deep.equal([200, "200.00"]);
        expect((await tenant.employee.post("/leave/requests", {})).status).to.equal(402);
      } finally {
        await service.sql.query("update product_licences set expires_at = '2200-01-01' where module = 'leave'");
      }
      const { rows } = await service.sql.query("select 1 from leave_entitlements where user_id = $1", [
        tenant.employee.accountId,
      ]);
      expect(rows).to.deep.equal([]);
    });

    it("prices by the week of the person asked about; another's needs read :any, and a member", async () => {
      const week = {
        mon: null,
        tue: { start: "09:00", end: "13:00", breaks: [] },
        wed: null,
        thu: null,
        fri: null,
        sat: null,
        sun: null,
      };
      await setContract(service, tenant, {
        user_id: tenant.employee.accountId,
        start_date: "2028-01-01",
        hours: 4,
        schedule: week,
      });
      const { body } = await preview(tenant.owner, { user_id: tenant.employee.accountId });
      expect([body.hours, body.days]).to.deep.equal(["4.00", "1.00"]);
      expect(refused(await preview(tenant.employee, { user_id: tenant.owner.accountId }))).to.deep.equal(FORBIDDEN);
      expect(refused(await preview(tenant.owner, { user_id: UNKNOWN }))).to.deep.equal(NOT_FOUND);
      expect(refused(await preview(tenant.owner, { leave_type_id: UNKNOWN }))).to.deep.equal(NOT_FOUND);
      const robot = await tenant.serviceAccount(["leave.request.read:any"]);
      expect(refused(await preview(robot, {}))).to.deep.equal(unfit({ user_id: "errors.required" }));
    });

    it("refuses a span that is wrong or too long", async () => {
      expect(refused(await preview(tenant.employee, { end_date: "2029-09-10" }))).to.deep.equal(
        unfit({ end_date: "errors.leave_end_before_start" }),
      );
      expect(refused(await preview(tenant.employee, { end_date: "2030-09-12" }))).to.deep.equal(
        unfit({ end_date: "errors.validation" }),
      );
      expect(refused(await preview(tenant.employee, { start_time: "12:00", end_time: "12:00" }))).to.deep.equal(
        unfit({ end_time: "errors.leave_end_time_before_start" }),
      );
    });
  });
});

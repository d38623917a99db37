import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { todayWithRoom } from "../../../support/today.ts";
import { invalidOn, refusalOf } from "../../clients/companies/company-records.ts";
import { Hours, ok } from "./hours.ts";

describe("views of a person's time", () => {
  let service: TestService;
  let tenant: Tenant;
  let hours: Hours;
  let member: Caller;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    hours = new Hours(service, tenant);
    member = await tenant.member("member");
  });
  after(() => service.stop());

  const log = (started_at: string, minutes: number, rest: object = {}, caller = member) =>
    hours.log(caller, { started_at, minutes, ...rest });
  const draft = (day: string, caller = member) => ok(caller.put(`/time/drafts/${day}`, { description: day }));
  /** A timer that began at a moment. */
  const timer = async (started_at: string, caller = member) => {
    const { id } = await ok(caller.post("/time/timer/start", {}));
    return ok(caller.patch(`/time/entries/${id}`, { started_at }));
  };

  describe("GET /time/day", () => {
    it("shows the entries of a day by start, their sums without what runs, and the draft", async () => {
      const late = await log("2026-05-04T21:59:59Z", 20, { billable: false });
      const early = await log("2026-05-03T22:00:00Z", 30);
      await log("2026-05-04T23:00:00+02:00", 5);
      await log("2026-05-04T22:00:00Z", 40);
      await log("2026-05-03T21:59:59Z", 60);
      await log("2026-05-04T10:00:00Z", 50, {}, tenant.owner);
      const running = await timer("2026-05-04T12:00:00Z");
      await draft("2026-05-04");
      const body = await ok(member.get("/time/day?date=2026-05-04"));
      expect(body.entries.map(({ id }: { id: string }) => id)).to.deep.equal([early.id, running.id, body.entries[2].id, late.id]);
      expect(body.entries[0]).to.deep.equal(await ok(member.get(`/time/entries/${early.id}`)));
      expect(body).to.include({ date: "2026-05-04", total_minutes: 55, billable_minutes: 35 });
      expect(body.draft).to.include({ entry_date: "2026-05-04" });
      expect(body.draft.payload).to.deep.equal({ description: "2026-05-04" });
    });

    it("needs a date, and read :any for another person, whose draft it never shows", async () => {
      await draft("2026-05-04");
      await log("2026-05-05T09:00:00Z", 30);
      expect(refusalOf(await member.get("/time/day"))).to.deep.equal(invalidOn({ date: "errors.required" }));
      expect((await member.get(`/time/day?date=2026-05-04&user_id=${tenant.owner.accountId}`)).status).to.equal(403);
      const seen = await ok(tenant.owner.get(`/time/day?date=2026-05-04&user_id=${member.accountId}`));
      expect(seen).to.deep.equal({ date: "2026-05-04", total_minutes: 0, billable_minutes: 0, entries: [], draft: null });
      const next = await ok(tenant.owner.get(`/time/day?date=2026-05-05&user_id=${member.accountId}`));
      expect(next.total_minutes).to.equal(30);
    });

    it("knows the first and the last day there is", async () => {
      for (const day of ["0001-01-01", "9999-12-31"])
        expect((await ok(member.get(`/time/day?date=${day}`))).entries, day).to.deep.equal([]);
      expect((await member.get("/time/day?date=0000-12-31")).status).to.equal(422);
    });
  });

  describe("GET /time/summary", () => {
    it("sums a day, by default the organisation's today, with the running timer", async () => {
      const today = await todayWithRoom();
      await log(`${today}T00:00:00`, 25);
      await log("2026-05-04T09:00:00Z", 40);
      expect(await ok(member.get("/time/summary"))).to.deep.equal({ date: today, minutes: 25, running: null });
      const running = await timer("2026-05-04T12:00:00Z");
      expect(await ok(member.get("/time/summary?date=2026-05-04"))).to.deep.equal({ date: "2026-05-04", minutes: 40, running });
      const query = `?date=2026-05-04&user_id=${member.accountId}`;
      expect(await ok(tenant.owner.get(`/time/summary${query}`))).to.deep.equal({ date: "2026-05-04", minutes: 40, running });
      expect((await member.get(`/time/summary?user_id=${tenant.owner.accountId}`)).status).to.equal(403);
    });
  });

  describe("GET /time/timesheet", () => {
    it("is the worked example: a row per client, project and task, by their first entries", async () => {
      const { id: company_id } = await tenant.company();
      const project_id = await hours.project({ company_id });
      const task_id = await hours.task({ project_id });
      await log("2026-05-10T21:50:00Z", 10, { company_id, project_id });
      await log("2026-05-04T09:00:00Z", 90, { company_id, project_id });
      await log("2026-05-04T11:00:00Z", 30, { company_id, project_id, task_id });
      await log("2026-05-06T09:00:00Z", 45, { company_id, project_id });
      await log("2026-05-10T22:10:00Z", 15, { company_id, project_id });
      await timer("2026-05-05T09:00:00Z");
      const week = {
        week_start: "2026-05-04",
        days: ["04", "05", "06", "07", "08", "09", "10"].map((day) => `2026-05-${day}`),
        rows: [
          { company_id, project_id, task_id: null, minutes: [90, 0, 45, 0, 0, 0, 10], total: 145 },
          { company_id, project_id, task_id, minutes: [30, 0, 0, 0, 0, 0, 0], total: 30 },
        ],
        day_totals: [120, 0, 45, 0, 0, 0, 10],
        total: 175,
        draft_days: [],
      };
      for (const date of ["2026-05-04", "2026-05-07", "2026-05-10"])
        expect(await ok(member.get(`/time/timesheet?week_start=${date}`)), date).to.deep.equal(week);
      expect(await ok(tenant.owner.get(`/time/timesheet?week_start=2026-05-04&user_id=${member.accountId}`))).to.deep.equal(week);
    });

    it("shows the caller's own days with a draft, and another's to no one", async () => {
      for (const day of ["2026-05-10", "2026-05-04", "2026-05-11"]) await draft(day);
      const own = await ok(member.get("/time/timesheet?week_start=2026-05-06"));
      expect(own.draft_days).to.deep.equal(["2026-05-04", "2026-05-10"]);
      const query = `?week_start=2026-05-06&user_id=${member.accountId}`;
      expect((await ok(tenant.owner.get(`/time/timesheet${query}`))).draft_days).to.deep.equal([]);
      expect((await member.get(`/time/timesheet?week_start=2026-05-06&user_id=${tenant.owner.accountId}`)).status).to.equal(403);
    });

    it("refuses a date whose week goes beyond the last day there is", async () => {
      expect(refusalOf(await member.get("/time/timesheet?week_start=9999-12-31"))).to.deep.equal(
        invalidOn({ week_start: "errors.validation" }),
      );
      expect((await member.get("/time/timesheet?week_start=9999-12-26")).status).to.equal(200);
      expect((await member.get("/time/timesheet?week_start=0001-01-01")).status).to.equal(200);
    });
  });

  describe("GET /time/workspace", () => {
    it("is the caller's timer, week, day and latest entry in one", async () => {
      const latest = await log("2026-06-01T09:00:00Z", 15);
      await log("2026-05-05T09:00:00Z", 40);
      await draft("2026-05-06");
      const running = await timer("2026-05-05T12:00:00Z");
      const body = await ok(member.get("/time/workspace?week_start=2026-05-06&day=2026-05-05"));
      expect(body).to.deep.equal({
        running,
        week: await ok(member.get("/time/timesheet?week_start=2026-05-04")),
        day: await ok(member.get("/time/day?date=2026-05-05")),
        recent: await ok(member.get(`/time/entries/${latest.id}`)),
      });
      expect(body.week.draft_days).to.deep.equal(["2026-05-06"]);
      const empty = await ok(tenant.owner.get("/time/workspace?week_start=2026-05-04&day=2026-05-04"));
      expect([empty.running, empty.recent, empty.week.total, empty.day.entries]).to.deep.equal([null, null, 0, []]);
    });

    it("refuses a day outside of the week", async () => {
      for (const day of ["2026-05-03", "2026-05-11"])
        expect(refusalOf(await member.get(`/time/workspace?week_start=2026-05-06&day=${day}`))).to.deep.equal(
          invalidOn({ date: "errors.validation" }),
        );
    });
  });

  describe("GET /time/logged", () => {
    it("sums the finished work of the whole team for every reader, by the requested filter", async () => {
      const { id: company_id } = await tenant.company();
      const project_id = await hours.project({ company_id });
      const task_id = await hours.task({ project_id });
      await log("2026-05-04T09:00:00Z", 30, { company_id });
      await log("2026-05-05T09:00:00Z", 20, { company_id, project_id, billable: false }, tenant.owner);
      await log("2026-05-06T23:59:00Z", 10, { company_id, project_id, task_id }, tenant.owner);
      await ok(tenant.owner.post("/time/timer/start", { company_id, project_id, task_id }));
      const logged = async (query: string) => Object.values(await ok(member.get(`/time/logged${query}`)));
      expect(await ok(member.get("/time/logged"))).to.deep.equal({ minutes: 60, billable_minutes: 40 });
      expect(await logged(`?company_id=${company_id}`)).to.deep.equal([60, 40]);
      expect(await logged(`?project_id=${project_id}`)).to.deep.equal([30, 10]);
      expect(await logged(`?task_id=${task_id}`)).to.deep.equal([10, 10]);
      expect(await logged("?date_from=2026-05-05&date_to=2026-05-05")).to.deep.equal([20, 0]);
      expect(await logged(`?task_id=${task_id}&date_to=2026-05-05`)).to.deep.equal([0, 0]);
      expect(await logged(`?task_id=${company_id}`)).to.deep.equal([0, 0]);
    });
  });
});

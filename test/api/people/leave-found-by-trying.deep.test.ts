import { expect } from "chai";
import { type LeaveService, type LeaveTenant, refused, setContract, startLeaveService, unfit } from "../../support/leave.ts";
import type { Caller } from "../../support/service.ts";

const NEEDS_MANAGER = [403, "forbidden", "errors.leave_recurring_needs_manager"];
const DAY = { start: "09:00", end: "17:00", breaks: [] };

describe("leave, where trying it found a corner", () => {
  let service: LeaveService;
  let tenant: LeaveTenant;
  before(async () => {
    service = await startLeaveService("2029-03-05");
  });
  beforeEach(async () => {
    service.today("2029-03-05");
    tenant = await service.leaveTenant();
  });
  after(() => service.stop());

  const statutory = () => tenant.types["vacation_statutory"] as string;
  const pots = async (year: number): Promise<Record<string, string>> => {
    const { rows } = await service.sql.query(
      `select t.key || ' ' || e.user_id as pot, e.hours::text from leave_entitlements e join leave_types t on t.id = e.leave_type_id
        where e.organisation_id = $1 and e.year = $2 order by 1`,
      [tenant.organisation.id, year],
    );
    return Object.fromEntries(rows.map(({ pot, hours }) => [pot, hours]));
  };
  const ask = (who: Caller, body: object) => who.post("/leave/requests", { leave_type_id: statutory(), ...body });

  describe("pots", () => {
    beforeEach(async () => {
      const freelancer = await tenant.member("member");
      await setContract(service, tenant, { user_id: tenant.employee.accountId, hours: 32, start_date: "2029-01-01" });
      await setContract(service, tenant, {
        user_id: freelancer.accountId,
        hours: 20,
        start_date: "2028-01-01",
        end_date: "2029-09-30",
      });
      for (const year of [2029, 2030]) await tenant.owner.post("/leave/entitlements/generate", { year });
    });

    it("come back when a type's weeks are cleared and set again, those of people without contract included", async () => {
      const before = [await pots(2029), await pots(2030)];
      expect(Object.keys(before[0] as object)).to.not.have.length(0);
      await tenant.owner.patch(`/leave/types/${statutory()}`, { default_weeks: null });
      expect([await pots(2029), await pots(2030)]).to.not.deep.equal(before);
      await tenant.owner.patch(`/leave/types/${statutory()}`, { default_weeks: 4 });
      expect([await pots(2029), await pots(2030)]).to.deep.equal(before);
    });

    it("come back when the full-time norm goes down and up again, even zero free time", async () => {
      const before = [await pots(2029), await pots(2030)];
      const week = { mon: DAY, tue: DAY, wed: null, thu: null, fri: null, sat: null, sun: null };
      const { default_schedule } = (await tenant.owner.get("/leave/settings")).body;
      await tenant.owner.put("/leave/settings", { default_schedule: week });
      expect(Object.keys(await pots(2029))).to.not.include(`roostervrij ${tenant.employee.accountId}`);
      await tenant.owner.put("/leave/settings", { default_schedule });
      expect([await pots(2029), await pots(2030)]).to.deep.equal(before);
    });
  });

  describe("DELETE and PATCH of a pattern that a manager planned", () => {
    it("answer the member whose days they are the 403 of a create", async () => {
      const body = {
        user_id: tenant.employee.accountId,
        leave_type_id: statutory(),
        anchor_date: "2029-04-02",
        interval_weeks: 4,
      };
      const { id } = (await tenant.owner.post("/leave/recurring", body)).body;
      expect(refused(await tenant.employee.delete(`/leave/recurring/${id}`))).to.deep.equal(NEEDS_MANAGER);
      const own = { leave_type_id: tenant.types["roostervrij"] };
      expect(refused(await tenant.employee.patch(`/leave/recurring/${id}`, own))).to.deep.equal(NEEDS_MANAGER);
      expect((await tenant.owner.delete(`/leave/recurring/${id}`)).status).to.equal(200);
    });
  });

  it("counts days of 7 h 20 by their minutes", async () => {
    const day = { start: "09:00", end: "16:20", breaks: [] };
    await tenant.owner.put("/leave/settings", {
      default_schedule: { mon: day, tue: day, wed: day, thu: day, fri: day, sat: null, sun: null },
    });
    const span = { start_date: "2029-06-04", end_date: "2029-06-29" };
    const { body } = await tenant.employee.post("/leave/requests/preview", span);
    expect([body.hours, body.days]).to.deep.equal(["146.67", "20.00"]);
  });

  describe("a clash", () => {
    it("names the request in the way to a caller who may see it, and not to one who may not", async () => {
      const first = (await ask(tenant.employee, { start_date: "2029-06-04", end_date: "2029-06-08" })).body;
      const details = { leave_request_id: first.id, start_date: "2029-06-04", end_date: "2029-06-08" };
      const again = await ask(tenant.employee, { start_date: "2029-06-08", end_date: "2029-06-11" });
      expect([...refused(again), again.body.error.details]).to.deep.equal([409, "conflict", "errors.leave_overlap", details]);
      const other = (await ask(tenant.employee, { start_date: "2029-06-11", end_date: "2029-06-11" })).body;
      const moved = await tenant.employee.patch(`/leave/requests/${other.id}`, { start_date: "2029-06-07" });
      expect(moved.body.error.details).to.deep.equal(details);
      const blind = await tenant.member("member", { grants: ["leave.request.write:own"] });
      const day = { start_date: "2029-06-04", end_date: "2029-06-04" };
      expect((await ask(blind, day)).status).to.equal(201);
      const clash = await ask(blind, day);
      expect(refused(clash)).to.deep.equal([409, "conflict", "errors.leave_overlap"]);
      expect(clash.body.error).to.not.have.property("details");
    });

    it("names the contract in the way", async () => {
      const body = { user_id: tenant.employee.accountId, contract_hours_per_week: 32, start_date: "2029-01-01" };
      const first = (await tenant.owner.post("/leave/contracts", { ...body, end_date: "2029-06-30" })).body;
      const again = await tenant.owner.post("/leave/contracts", { ...body, start_date: "2029-06-30" });
      expect([...refused(again), again.body.error.details]).to.deep.equal([
        409,
        "conflict",
        "errors.leave_contract_overlap",
        { contract_id: first.id, start_date: "2029-01-01", end_date: "2029-06-30" },
      ]);
    });
  });

  it("refuses on half a move the same as on a new one", async () => {
    const sent = { from_date: "2029-09-10", to_date: "2029-09-15", repeat_weeks: 2, repeat_until: "2029-12-01" };
    const [given, taken] = (await tenant.employee.post("/leave/availability/move", sent)).body;
    const patch = (id: string, body: object) => tenant.employee.patch(`/leave/availability/${id}`, body);
    expect(refused(await patch(taken.id, { date: "2029-09-10" }))).to.deep.equal(
      unfit({ date: "errors.leave_availability_move_same_day" }),
    );
    expect(refused(await patch(given.id, { repeat_until: "2029-09-14" }))).to.deep.equal(
      unfit({ repeat_until: "errors.leave_availability_until_invalid" }),
    );
    expect((await patch(taken.id, { date: "2029-09-16" })).status).to.equal(200);
  });

  it("names the weekday of a schedule that has the wrong shape", async () => {
    const schedule = {
      mon: { start: "9 o'clock", end: "17:00" },
      tue: { start: "09:00" },
      wed: { ...DAY, breaks: [{ start: "12:00" }] },
    };
    const wrong = { mon: "errors.validation", tue: "errors.validation", wed: "errors.validation" };
    const reported = async (answer: ReturnType<Caller["put"]>) => Object.keys((await answer).body.error.fields).sort();
    expect(await reported(tenant.owner.put("/leave/settings", { default_schedule: schedule }))).to.deep.equal(Object.keys(wrong));
    expect(await reported(tenant.owner.put(`/leave/profiles/${tenant.employee.accountId}`, { schedule }))).to.deep.equal(
      Object.keys(wrong),
    );
  });

  it("decides and cancels only while the tag of If-Match holds", async () => {
    const { id } = (await ask(tenant.employee, { start_date: "2029-07-02", end_date: "2029-07-02" })).body;
    const tag = (await tenant.employee.get(`/leave/requests/${id}`)).headers.etag as string;
    await tenant.employee.patch(`/leave/requests/${id}`, { note: "changed meanwhile" });
    const stale = { headers: { "If-Match": tag } };
    const decide = { approved: true };
    for (const answer of [
      await tenant.owner.post(`/leave/requests/${id}/decide`, decide, stale),
      await tenant.owner.post(`/leave/requests/${id}/cancel`, undefined, stale),
    ])
      expect(refused(answer)).to.deep.equal([412, "precondition_failed", "errors.precondition_failed"]);
    const now = (await tenant.employee.get(`/leave/requests/${id}`)).headers.etag as string;
    const fresh = { headers: { "If-Match": now } };
    expect((await tenant.owner.post(`/leave/requests/${id}/decide`, decide, fresh)).body.status).to.equal("approved");
  });

  it("knows the public holidays of a year that is not imported yet, in a preview, in stored and in placed leave", async () => {
    const span = { start_date: "2032-12-24", end_date: "2032-12-27" };
    const { body } = await tenant.employee.post("/leave/requests/preview", span);
    expect(body.breakdown.map(({ reason }: { reason: string | null }) => reason)).to.deep.equal([
      null,
      "not_scheduled",
      "not_scheduled",
      null,
    ]);
    const easter = { start_date: "2032-03-29", end_date: "2032-03-30" };
    const preview = (await tenant.employee.post("/leave/requests/preview", easter)).body;
    expect([preview.hours, preview.breakdown[0].reason]).to.deep.equal(["8.00", "holiday"]);
    expect((await ask(tenant.employee, easter)).body.hours).to.equal("8.00");
  });
});

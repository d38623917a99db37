import { expect } from "chai";
import { eventsAbout, type LeaveService, type LeaveTenant, refused, sharedLeaveService, unfit } from "../../support/leave.ts";
import type { Caller } from "../../support/service.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const FORBIDDEN = [403, "forbidden", "errors.forbidden"];
const NOT_FOUND = [404, "not_found", "errors.not_found"];
const DECIDED = [409, "conflict", "errors.leave_decided"];
const OVERLAP = [409, "conflict", "errors.leave_overlap"];
const PAST_LOCKED = [403, "past_locked", "errors.leave_past_locked"];
const APPROVED_LOCKED = [403, "approved_locked", "errors.approved_locked"];
const SELF_APPROVAL = [403, "self_approval", "errors.leave_self_approval"];
const READER = ["leave.request.read:any", "leave.request.write:own"];

describe("leave requests: deciding, changing and cancelling", () => {
  let service: LeaveService;
  let tenant: LeaveTenant;
  let admin: Caller;
  before(async () => {
    service = await sharedLeaveService("2028-06-01");
  });
  beforeEach(async () => {
    service.today("2028-06-01");
    tenant = await service.leaveTenant();
    admin = await tenant.member("admin");
  });
  after(() => service.stop());

  interface Leave {
    id: string;
    [field: string]: unknown;
  }
  const ask = async (body: object = {}, who: Caller = tenant.employee): Promise<Leave> => {
    const answer = await who.post("/leave/requests", {
      leave_type_id: tenant.types["vacation_statutory"],
      start_date: "2029-09-11",
      end_date: "2029-09-11",
      ...body,
    });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body;
  };
  const decide = (id: string, approved = true, who: Caller = admin, note?: string) =>
    who.post(`/leave/requests/${id}/decide`, { approved, note });
  const approved = async (body: object = {}, who?: Caller): Promise<Leave> => {
    const { id } = await ask(body, who);
    return (await decide(id)).body;
  };
  const patch = (id: string, body: object, who: Caller = tenant.employee) => who.patch(`/leave/requests/${id}`, body);
  const cancel = (id: string, who: Caller = tenant.employee) => who.post(`/leave/requests/${id}/cancel`);
  const lastEvent = async (id: string) => (await eventsAbout(service, id)).at(-1);

  describe("POST /leave/requests/{request_id}/decide", () => {
    it("approves: who, when and why are stored, and the requester is notified with the days", async () => {
      const { id } = await ask({ end_date: "2029-09-12" });
      const { status, body } = await decide(id, true, admin, "veel plezier");
      expect(status).to.equal(200);
      expect(body).to.include({ status: "approved", decided_by_user_id: admin.accountId, decision_note: "veel plezier" });
      expect(Date.parse(body.decided_at)).to.equal(Date.parse("2028-06-01T12:00:00Z"));
      const { event, payload } = (await lastEvent(id)) as { event: string; payload: Record<string, unknown> };
      expect([event, payload["recipients"]]).to.deep.equal(["leave.approved", [tenant.employee.accountId]]);
      expect(payload["days"]).to.deep.equal([
        { date: "2029-09-11", hours: "8.00", reason: null },
        { date: "2029-09-12", hours: "8.00", reason: null },
      ]);
    });

    it("rejects, which frees the day, and notifies the requester", async () => {
      const { id } = await ask();
      expect((await decide(id, false)).body).to.include({ status: "rejected", decision_note: null });
      expect(await lastEvent(id)).to.deep.include({ event: "leave.rejected" });
      await ask();
    });

    it("needs leave.request.approve, but no read scope", async () => {
      const { id } = await ask();
      expect(refused(await decide(id, true, tenant.employee))).to.deep.equal(FORBIDDEN);
      const blind = await tenant.member("member", { grants: ["leave.request.approve"] });
      expect((await decide(id, true, blind)).status).to.equal(200);
    });

    it("refuses one's own leave unless the setting allows it or nobody else can decide", async () => {
      const { id } = await ask({}, admin);
      expect(refused(await decide(id, true, admin))).to.deep.equal(SELF_APPROVAL);
      await service.sql.query("update accounts set is_active = false where id = $1", [tenant.owner.accountId]);
      expect((await decide(id, true, admin)).status, "a disabled approver does not count").to.equal(200);
      await service.sql.query("update accounts set is_active = true where id = $1", [tenant.owner.accountId]);
      const other = await ask({ start_date: "2029-10-01", end_date: "2029-10-01" }, admin);
      await service.sql.query(
        "insert into leave_settings (id, organisation_id, self_approval) values (gen_random_uuid(), $1, true)",
        [tenant.organisation.id],
      );
      const decided = await decide(other.id, true, admin);
      expect(decided.body.decided_by_user_id).to.equal(admin.accountId);
      const { payload } = (await lastEvent(other.id)) as { payload: Record<string, unknown> };
      expect(payload["recipients"], "the actor gets no notice").to.deep.equal([]);
    });

    it("refuses what no longer waits, and knows no past lock", async () => {
      const { id } = await ask();
      await decide(id);
      for (const outcome of [true, false]) expect(refused(await decide(id, outcome))).to.deep.equal(DECIDED);
      const { id: cancelled } = await ask({ start_date: "2029-10-01", end_date: "2029-10-01" });
      await cancel(cancelled);
      expect(refused(await decide(cancelled))).to.deep.equal(DECIDED);
      const { id: late } = await ask({ start_date: "2028-06-02", end_date: "2028-06-02" });
      service.today("2028-07-01");
      expect((await decide(late)).body.status).to.equal("approved");
    });

    it("of several parallel decisions lets one succeed", async () => {
      const { id } = await ask();
      const answers = await Promise.all([true, false, true, false].map((outcome) => decide(id, outcome)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409, 409]);
      const [won] = answers.filter(({ status }) => status === 200);
      expect((await admin.get(`/leave/requests/${id}`)).body.status).to.equal(won?.body.status);
    });

    it("clears the mark of leave that was edited and waits again", async () => {
      const { id } = await approved();
      expect((await patch(id, { end_date: "2029-09-12" })).body.resubmitted_at).to.be.a("string");
      expect((await decide(id)).body).to.include({ status: "approved", resubmitted_at: null });
    });

    it("answers 404 to a request that is not there", async () => {
      expect(refused(await decide(UNKNOWN))).to.deep.equal(NOT_FOUND);
    });
  });

  describe("POST /leave/requests/{request_id}/cancel", () => {
    it("cancels one's own pending leave and notifies nobody", async () => {
      const { id } = await ask();
      const before = (await eventsAbout(service, id)).length;
      const { status, body } = await cancel(id);
      expect([status, body.status, body.decided_at]).to.deep.equal([200, "cancelled", null]);
      expect(await eventsAbout(service, id)).to.have.length(before);
    });

    it("clears the mark of leave that was edited and waits again", async () => {
      const { id } = await approved();
      expect((await patch(id, { start_time: "13:00" })).body.resubmitted_at).to.be.a("string");
      expect((await cancel(id)).body).to.include({ status: "cancelled", resubmitted_at: null });
    });

    it("refuses an owner approved leave of a type that needs approval; an approver may", async () => {
      const { id } = await approved();
      expect(refused(await cancel(id))).to.deep.equal(APPROVED_LOCKED);
      expect((await cancel(id, admin)).body.status).to.equal("cancelled");
      expect(await lastEvent(id)).to.deep.include({ event: "leave.cancelled" });
    });

    it("lets an owner cancel approved leave of a self-service type, and nobody else without approving", async () => {
      const { id } = await ask({ leave_type_id: tenant.types["sick"] });
      const writer = await tenant.member("member", { grants: ["leave.request.read:any", "leave.request.write:any"] });
      expect(refused(await cancel(id, writer))).to.deep.equal(APPROVED_LOCKED);
      expect((await cancel(id)).body.status).to.equal("cancelled");
    });

    it("refuses past leave to who may not backdate, before looking at its status", async () => {
      const pending = await ask({ start_date: "2028-06-02", end_date: "2028-06-20" });
      const own = await approved({ start_date: "2028-06-02", end_date: "2028-06-02" }, tenant.owner);
      service.today("2028-06-03");
      expect(refused(await cancel(pending.id))).to.deep.equal(PAST_LOCKED);
      expect(refused(await cancel(own.id, tenant.owner)), "an approver's own").to.deep.equal(PAST_LOCKED);
      expect((await cancel(pending.id, admin)).status).to.equal(200);
      expect(refused(await cancel(pending.id)), "the past lock comes first").to.deep.equal(PAST_LOCKED);
    });

    it("refuses leave that is decided against or cancelled", async () => {
      const { id } = await ask();
      await decide(id, false);
      expect(refused(await cancel(id))).to.deep.equal(DECIDED);
    });

    it("answers 404 to leave one may not read, 403 to leave one may read but not write", async () => {
      const { id } = await ask();
      expect(refused(await cancel(id, await tenant.member("member")))).to.deep.equal(NOT_FOUND);
      expect(refused(await cancel(id, await tenant.member("member", { grants: READER })))).to.deep.equal(FORBIDDEN);
    });
  });

  describe("PATCH /leave/requests/{request_id}", () => {
    it("recomputes hours with today's calendar and week, even for a note", async () => {
      const { id } = await ask({ end_date: "2029-09-12" });
      await service.sql.query(
        "insert into leave_holidays (id, organisation_id, date) values (gen_random_uuid(), $1, '2029-09-12')",
        [tenant.organisation.id],
      );
      expect((await admin.get(`/leave/requests/${id}`)).body.hours, "a new holiday re-prices nothing stored").to.equal("16.00");
      const { body } = await patch(id, { note: "toch even" });
      expect([body.hours, body.status, body.note, body.resubmitted_at]).to.deep.equal(["8.00", "pending", "toch even", null]);
    });

    it("bounces approved leave whose edit matters: the decision is cleared and approvers are notified", async () => {
      for (const [n, body] of [
        { start_date: "2029-09-10" },
        { end_time: "12:00" },
        { leave_type_id: tenant.types["special"] },
      ].entries()) {
        const day = `2029-0${n + 1}-09`;
        const { id } = await approved({ start_date: n ? day : "2029-09-11", end_date: n ? day : "2029-09-11" });
        const answer = await patch(id, body);
        expect(answer.body).to.include({ status: "pending", decided_by_user_id: null, decided_at: null, decision_note: null });
        expect(Date.parse(answer.body.resubmitted_at)).to.equal(Date.parse("2028-06-01T12:00:00Z"));
        const { event, payload } = (await lastEvent(id)) as { event: string; payload: Record<string, unknown> };
        expect([event, payload["recipients"]]).to.deep.equal([
          "leave.requested",
          [tenant.owner.accountId, admin.accountId].sort(),
        ]);
      }
    });

    it("keeps the day of leave that bounced", async () => {
      const { id } = await approved();
      await patch(id, { end_time: "12:00" });
      expect(refused(await tenant.employee.post("/leave/requests", await body()))).to.deep.equal(OVERLAP);
    });
    const body = async () => ({
      leave_type_id: tenant.types["sick"],
      start_date: "2029-09-11",
      end_date: "2029-09-11",
    });

    it("does not bounce for a note alone, unless the new price changed the hours", async () => {
      const { id } = await approved({ end_date: "2029-09-12" });
      expect((await patch(id, { note: "x" })).body.status).to.equal("approved");
      await service.sql.query(
        "insert into leave_holidays (id, organisation_id, date) values (gen_random_uuid(), $1, '2029-09-12')",
        [tenant.organisation.id],
      );
      expect((await patch(id, { note: "y" })).body).to.include({ status: "pending", hours: "8.00" });
    });

    it("lets an approver's edit stay approved; a changed window is reported", async () => {
      const { id } = await approved();
      expect((await patch(id, { end_date: "2029-09-12" }, tenant.owner)).body).to.include({
        status: "approved",
        decided_by_user_id: admin.accountId,
        hours: "16.00",
      });
      const { event, payload } = (await lastEvent(id)) as { event: string; payload: Record<string, unknown> };
      expect([event, payload["recipients"], (payload["days"] as unknown[]).length]).to.deep.equal(["leave.updated", [], 2]);
    });

    it("bounces an approver's edit of own leave, for deciding on that is another's", async () => {
      const { id } = await ask({}, admin);
      await decide(id, true, tenant.owner);
      expect((await patch(id, { end_date: "2029-09-12" }, admin)).body.status).to.equal("pending");
    });

    it("lets an owner edit self-service leave ahead freely", async () => {
      const { id } = await ask({ leave_type_id: tenant.types["sick"] });
      expect((await patch(id, { end_date: "2029-09-12" })).body).to.include({ status: "approved", hours: "16.00" });
    });

    it("keeps approved leave approved that becomes self-service, bounces self-service leave that comes to need approval", async () => {
      const { id } = await approved();
      expect((await patch(id, { leave_type_id: tenant.types["sick"] })).body.status).to.equal("approved");
      expect((await patch(id, { leave_type_id: tenant.types["special"] })).body.status).to.equal("pending");
      const still = await patch(id, { leave_type_id: tenant.types["sick"] });
      expect(still.body, "an edit never approves what waits").to.include({ status: "pending" });
    });

    it("sets no mark on pending leave", async () => {
      const { id } = await ask();
      expect((await patch(id, { end_date: "2029-09-12" })).body).to.include({ status: "pending", resubmitted_at: null });
    });

    it("drops an agreed number with a changed span, keeps it with a note, and clears it only for an approver", async () => {
      const { id } = await ask({ user_id: tenant.employee.accountId, hours_override: "3" }, admin);
      expect((await patch(id, { note: "x" })).body).to.include({
        hours: "3.00",
        hours_override: "3.00",
        hours_override_by_user_id: admin.accountId,
      });
      expect(refused(await patch(id, { hours_override: null }))).to.deep.equal(FORBIDDEN);
      const restated = await patch(id, { end_date: "2029-09-12", hours_override: 5 }, tenant.owner);
      expect(restated.body).to.include({ hours: "5.00", hours_override_by_user_id: tenant.owner.accountId });
      const moved = await patch(id, { end_date: "2029-09-13" });
      expect(moved.body).to.include({ hours: "24.00", hours_override: null, hours_override_by_user_id: null });
    });

    it("touching the agreed number on own leave needs that one acts as approver", async () => {
      const { id } = await ask({}, admin);
      expect(refused(await patch(id, { hours_override: 2 }, admin))).to.deep.equal(SELF_APPROVAL);
    });

    it("is refused where the old or the new start is past and a date or time changes, but not for a note", async () => {
      const { id } = await ask({ start_date: "2028-06-02", end_date: "2028-06-06" });
      const ahead = await ask({ start_date: "2028-07-04", end_date: "2028-07-04" });
      service.today("2028-06-05");
      expect(refused(await patch(id, { end_date: "2028-06-07" }))).to.deep.equal(PAST_LOCKED);
      expect(refused(await patch(id, { start_date: "2028-06-07", end_date: "2028-06-07" }))).to.deep.equal(PAST_LOCKED);
      expect(refused(await patch(ahead.id, { start_date: "2028-06-01" })), "overlap is looked at first").to.deep.equal(OVERLAP);
      expect(refused(await patch(ahead.id, { start_date: "2028-06-01", end_date: "2028-06-01" }))).to.deep.equal(PAST_LOCKED);
      expect((await patch(id, { note: "x" })).status).to.equal(200);
      expect((await patch(id, { end_date: "2028-06-07" }, admin)).status).to.equal(200);
    });

    it("bounces past self-service leave whose hours a note edit changed", async () => {
      const { id } = await ask({ leave_type_id: tenant.types["sick"], start_date: "2028-06-02", end_date: "2028-06-07" });
      service.today("2028-06-05");
      await service.sql.query(
        "insert into leave_holidays (id, organisation_id, date) values (gen_random_uuid(), $1, '2028-06-07')",
        [tenant.organisation.id],
      );
      expect((await patch(id, { note: "x" })).body.status).to.equal("pending");
    });

    it("may not take another live request's day, but keeps its own", async () => {
      const { id } = await ask();
      await ask({ start_date: "2029-09-12", end_date: "2029-09-12" });
      expect(refused(await patch(id, { end_date: "2029-09-12" }))).to.deep.equal(OVERLAP);
      expect((await patch(id, { start_date: "2029-09-10" })).status).to.equal(200);
    });

    it("refuses leave that is decided against or cancelled, an unknown type, and on change an inactive one", async () => {
      const { id } = await ask();
      expect(refused(await patch(id, { leave_type_id: UNKNOWN }))).to.deep.equal(NOT_FOUND);
      await service.sql.query("update leave_types set active = false where organisation_id = $1 and key <> 'sick'", [
        tenant.organisation.id,
      ]);
      expect(refused(await patch(id, { leave_type_id: tenant.types["special"] }))).to.deep.equal(
        unfit({ leave_type_id: "errors.validation" }),
      );
      expect((await patch(id, { note: "x", leave_type_id: tenant.types["vacation_statutory"] })).status).to.equal(200);
      await decide(id, false);
      expect(refused(await patch(id, { note: "x" }))).to.deep.equal(DECIDED);
    });

    it("clears times, note and agreed number with null, and refuses null on type and dates", async () => {
      const { id } = await ask({ start_time: "12:00", end_time: "15:00", note: "x" });
      expect((await patch(id, { start_time: null, end_time: null, note: null })).body).to.include({
        start_time: null,
        end_time: null,
        note: null,
        hours: "8.00",
      });
      for (const field of ["leave_type_id", "start_date", "end_date"])
        expect(refused(await patch(id, { [field]: null }))).to.deep.equal(unfit({ [field]: "errors.validation" }));
    });

    it("refuses a span that is wrong, and one worth nothing", async () => {
      const { id } = await ask();
      expect(refused(await patch(id, { end_date: "2029-09-10" }))).to.deep.equal(
        unfit({ end_date: "errors.leave_end_before_start" }),
      );
      expect(refused(await patch(id, { start_date: "2029-09-15", end_date: "2029-09-16" }))).to.include("no_working_hours");
    });

    it("answers 404 to leave one may not read, 403 to leave one may read but not write", async () => {
      const { id } = await ask();
      expect(refused(await patch(id, { note: "x" }, await tenant.member("member")))).to.deep.equal(NOT_FOUND);
      const reader = await tenant.member("member", { grants: READER });
      expect(refused(await patch(id, { note: "x" }, reader))).to.deep.equal(FORBIDDEN);
    });

    it("that changes nothing leaves no trace", async () => {
      const { id, updated_at } = await ask({ note: "x" });
      const before = (await eventsAbout(service, id)).length;
      const { body, headers } = await patch(id, { note: "x", start_date: "2029-09-11", start_time: null });
      expect([body.updated_at, headers.etag]).to.deep.equal([updated_at, '"1"']);
      expect(await eventsAbout(service, id)).to.have.length(before);
    });
  });
});

import { expect } from "chai";
import { eventsAbout, type LeaveService, type LeaveTenant, refused, sharedLeaveService, unfit } from "../../support/leave.ts";
import type { Caller } from "../../support/service.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const FORBIDDEN = [403, "forbidden", "errors.forbidden"];
const NOT_FOUND = [404, "not_found", "errors.not_found"];
const OVERLAP = [409, "conflict", "errors.leave_overlap"];
const PAST_LOCKED = [403, "past_locked", "errors.leave_past_locked"];
const SELF_APPROVAL = [403, "self_approval", "errors.leave_self_approval"];
const WIDE = ["leave.request.read:any", "leave.request.write:any"];

describe("leave requests: asking for leave", () => {
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

  const ask = (who: Caller, body: object) =>
    who.post("/leave/requests", {
      leave_type_id: tenant.types["vacation_statutory"],
      start_date: "2029-09-11",
      end_date: "2029-09-11",
      ...body,
    });
  const rowCount = async () =>
    (
      await service.sql.query("select count(*)::int as n from leave_requests where organisation_id = $1", [
        tenant.organisation.id,
      ])
    ).rows[0].n;

  describe("POST /leave/requests", () => {
    it("answers with every field: computed hours, pending, nothing decided", async () => {
      const { status, body } = await ask(tenant.employee, {
        start_date: "2029-09-11",
        end_date: "2029-09-12",
        start_time: "14:30:59",
        end_time: "11:00",
        note: " ",
        hours: "99",
      });
      expect(status).to.equal(201);
      expect(body).to.deep.equal({
        id: body.id,
        org_id: tenant.organisation.id,
        user_id: tenant.employee.accountId,
        leave_type_id: tenant.types["vacation_statutory"],
        status: "pending",
        start_date: "2029-09-11",
        end_date: "2029-09-12",
        start_time: "14:30",
        end_time: "11:00",
        hours: "5.00",
        hours_override: null,
        hours_override_by_user_id: null,
        note: null,
        recurring_day_id: null,
        decided_by_user_id: null,
        decided_at: null,
        decision_note: null,
        resubmitted_at: null,
        created_at: body.created_at,
        updated_at: body.created_at,
      });
      expect((await tenant.employee.get(`/leave/requests/${body.id}`)).body).to.deep.equal(body);
    });

    it("notifies approvers of waiting leave, never the requester; the payload is the request's", async () => {
      const admin = await tenant.member("admin");
      const { body } = await ask(tenant.employee, {});
      expect(await eventsAbout(service, body.id)).to.deep.equal([
        {
          event: "leave.requested",
          payload: {
            leave_request_id: body.id,
            user_id: tenant.employee.accountId,
            leave_type_id: body.leave_type_id,
            start_date: "2029-09-11",
            end_date: "2029-09-11",
            start_time: null,
            end_time: null,
            hours: "8.00",
            recipients: [tenant.owner.accountId, admin.accountId].sort(),
          },
        },
      ]);
      const own = await ask(admin, {});
      const [{ payload } = { payload: {} }] = await eventsAbout(service, own.body.id);
      expect((payload as { recipients: string[] }).recipients).to.deep.equal([tenant.owner.accountId]);
    });

    it("approves leave of a self-service type at once, attributes that to nobody and notifies nobody, day by day", async () => {
      const { body } = await ask(tenant.employee, { leave_type_id: tenant.types["sick"], end_date: "2029-09-12" });
      expect([body.status, body.decided_by_user_id, body.decided_at]).to.deep.equal(["approved", null, null]);
      const [{ event, payload } = { event: "", payload: {} }] = await eventsAbout(service, body.id);
      expect([event, payload["recipients"], payload["days"]]).to.deep.equal([
        "leave.approved",
        [],
        [
          { date: "2029-09-11", hours: "8.00", reason: null },
          { date: "2029-09-12", hours: "8.00", reason: null },
        ],
      ]);
    });

    it("leaves leave pending that a manager registers for a member", async () => {
      const { status, body } = await ask(tenant.owner, { user_id: tenant.employee.accountId.toUpperCase() });
      expect([status, body.status, body.user_id]).to.deep.equal([201, "pending", tenant.employee.accountId]);
    });

    it("needs write :any and read :any for another person", async () => {
      for (const grants of [WIDE.slice(0, 1), WIDE.slice(1), ["leave.request.write:own", "leave.request.read:any"]]) {
        const who = await tenant.member("member", { grants });
        expect(refused(await ask(who, { user_id: tenant.employee.accountId }))).to.deep.equal(FORBIDDEN);
      }
      const who = await tenant.member("member", { grants: WIDE });
      expect((await ask(who, { user_id: tenant.employee.accountId })).status).to.equal(201);
    });

    it("answers 404 for a non-member, and for an unknown type", async () => {
      const elsewhere = await service.tenant();
      for (const user_id of [UNKNOWN, elsewhere.owner.accountId])
        expect(refused(await ask(tenant.owner, { user_id }))).to.deep.equal(NOT_FOUND);
      expect(refused(await ask(tenant.employee, { leave_type_id: UNKNOWN }))).to.deep.equal(NOT_FOUND);
      expect(await rowCount()).to.equal(0);
    });

    it("refuses an inactive type on its field", async () => {
      await service.sql.query("update leave_types set active = false where id = $1", [tenant.types["special"]]);
      expect(refused(await ask(tenant.employee, { leave_type_id: tenant.types["special"] }))).to.deep.equal(
        unfit({ leave_type_id: "errors.validation" }),
      );
    });

    it("asks a service account to name the person", async () => {
      const robot = await tenant.serviceAccount(WIDE);
      expect(refused(await ask(robot, {}))).to.deep.equal(unfit({ user_id: "errors.required" }));
      expect((await ask(robot, { user_id: tenant.employee.accountId })).status).to.equal(201);
    });

    const spans: [what: string, body: object, fields: Record<string, string>][] = [
      ["that ends before it starts", { end_date: "2029-09-10" }, { end_date: "errors.leave_end_before_start" }],
      ["of more than 366 days", { end_date: "2030-09-12" }, { end_date: "errors.validation" }],
      [
        "of one day with its times the wrong way round",
        { start_time: "11:00", end_time: "11:00" },
        { end_time: "errors.leave_end_time_before_start" },
      ],
      ["with a time that is none", { start_time: "24:00" }, { start_time: "errors.validation" }],
      ["with a time in a zone", { start_time: "08:00:00Z" }, { start_time: "errors.validation" }],
      ["with an agreed number of 0", { hours_override: 0 }, { hours_override: "errors.validation" }],
      ["with an agreed number over 2000", { hours_override: "2000.01" }, { hours_override: "errors.validation" }],
      ["with an agreed number that rounds to nothing", { hours_override: "0.001" }, { hours_override: "errors.validation" }],
    ];
    for (const [what, body, fields] of spans)
      it(`refuses a span ${what}`, async () => {
        expect(refused(await ask(tenant.owner, body))).to.deep.equal(unfit(fields));
        expect(await rowCount()).to.equal(0);
      });

    it("takes a span of 366 days, and any times across days", async () => {
      expect((await ask(tenant.employee, { end_date: "2030-09-11" })).status).to.equal(201);
      const { body } = await ask(tenant.employee, {
        start_date: "2031-09-08",
        end_date: "2031-09-09",
        start_time: "16:00",
        end_time: "09:30",
      });
      expect(body.hours).to.equal("2.00");
    });

    for (const [why, day] of [
      ["a weekend", "2029-09-15"],
      ["a holiday", "2029-12-25"],
    ])
      it(`refuses a span worth nothing: ${why}`, async () => {
        expect(refused(await ask(tenant.employee, { start_date: day, end_date: day }))).to.deep.equal([
          422,
          "no_working_hours",
          "errors.leave_no_working_hours",
        ]);
      });

    it("prices a deactivated holiday as an ordinary working day", async () => {
      await service.sql.query("update leave_holidays set active = false where organisation_id = $1 and date = '2029-12-25'", [
        tenant.organisation.id,
      ]);
      expect((await ask(tenant.employee, { start_date: "2029-12-24", end_date: "2029-12-28" })).body.hours).to.equal("32.00");
    });

    it("refuses leave that shares a day with live leave of the person, for any types and times", async () => {
      const first = await ask(tenant.employee, { end_date: "2029-09-13", end_time: "10:00" });
      for (const body of [
        { start_date: "2029-09-13", end_date: "2029-09-13", start_time: "13:00", leave_type_id: tenant.types["sick"] },
        { start_date: "2029-09-03", end_date: "2029-09-11" },
      ])
        expect(refused(await ask(tenant.employee, body))).to.deep.equal(OVERLAP);
      expect((await ask(tenant.employee, { start_date: "2029-09-14", end_date: "2029-09-14" })).status).to.equal(201);
      expect((await ask(tenant.owner, {})).status, "somebody else's day").to.equal(201);
      await tenant.employee.post(`/leave/requests/${first.body.id}/cancel`);
      expect((await ask(tenant.employee, {})).status, "cancelled leave takes no day").to.equal(201);
    });

    it("of several at the same moment for one day stores one", async () => {
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, n) => ask(tenant.employee, n % 2 ? { leave_type_id: tenant.types["sick"] } : {})),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409, 409, 409, 409]);
      expect(await rowCount()).to.equal(1);
    });

    it("never refuses for want of balance", async () => {
      expect((await ask(tenant.employee, { start_date: "2029-02-01", end_date: "2029-12-21" })).status).to.equal(201);
    });

    it("looks at the rights, the type, the past, the agreed number, the span, its worth and the overlap in this order", async () => {
      const other = await tenant.member("member");
      const bad = {
        user_id: other.accountId,
        leave_type_id: UNKNOWN,
        start_date: "2028-05-27",
        end_date: "2028-05-27",
        start_time: "12:00",
        end_time: "11:00",
        hours_override: 3,
      };
      expect(refused(await ask(tenant.employee, bad))).to.deep.equal(FORBIDDEN);
      const own = { ...bad, user_id: null };
      expect(refused(await ask(tenant.employee, own))).to.deep.equal(NOT_FOUND);
      const typed = { ...own, leave_type_id: tenant.types["special"] };
      expect(refused(await ask(tenant.employee, typed))).to.deep.equal(PAST_LOCKED);
      const ahead = { ...typed, start_date: "2028-06-03", end_date: "2028-06-03" };
      expect(refused(await ask(tenant.employee, ahead))).to.deep.equal(FORBIDDEN);
      const computed = { ...ahead, hours_override: null };
      expect(refused(await ask(tenant.employee, computed))).to.deep.equal(
        unfit({ end_time: "errors.leave_end_time_before_start" }),
      );
      const worthless = { ...computed, start_time: null, end_time: null };
      expect(refused(await ask(tenant.employee, worthless))).to.include("no_working_hours");
    });
  });

  describe("the past", () => {
    it("is what starts before today where the organisation is: leave that starts today is not past", async () => {
      expect(refused(await ask(tenant.employee, { start_date: "2028-05-31", end_date: "2028-06-02" }))).to.deep.equal(
        PAST_LOCKED,
      );
      expect((await ask(tenant.employee, { start_date: "2028-06-01", end_date: "2028-06-01" })).status).to.equal(201);
      // 22:30 UTC on the 1st is half past midnight on the 2nd in Amsterdam.
      service.today("2028-06-01T22:30:00Z");
      const other = await tenant.member("member");
      expect(refused(await ask(other, { start_date: "2028-06-01", end_date: "2028-06-01" }))).to.deep.equal(PAST_LOCKED);
      await service.sql.query("update organisations set timezone = 'America/New_York' where id = $1", [tenant.organisation.id]);
      expect((await ask(other, { start_date: "2028-06-01", end_date: "2028-06-01" })).status).to.equal(201);
    });

    it("is open to who writes leave of others, for others; for oneself only where self-approval is allowed", async () => {
      const past = { start_date: "2028-05-30", end_date: "2028-05-30" };
      const admin = await tenant.member("admin");
      expect((await ask(admin, { ...past, user_id: tenant.employee.accountId })).status).to.equal(201);
      expect(refused(await ask(admin, past))).to.deep.equal(PAST_LOCKED);
      await service.sql.query("update memberships set deactivated_at = now() where id = $1", [tenant.owner.membershipId]);
      expect((await ask(admin, past)).status, "the only one left who approves").to.equal(201);
    });
  });

  describe("an agreed number of hours", () => {
    it("replaces the computed one, is rounded to hundredths and attributed; it may give hours to a free day", async () => {
      const { body } = await ask(tenant.owner, {
        user_id: tenant.employee.accountId,
        start_date: "2029-09-15",
        end_date: "2029-09-15",
        hours_override: "3.505",
      });
      expect([body.hours, body.hours_override, body.hours_override_by_user_id]).to.deep.equal([
        "3.50",
        "3.50",
        tenant.owner.accountId,
      ]);
    });

    it("needs leave.request.approve, and on one's own leave that one acts as approver", async () => {
      expect(refused(await ask(tenant.employee, { hours_override: 4 }))).to.deep.equal(FORBIDDEN);
      const admin = await tenant.member("admin");
      expect(refused(await ask(admin, { hours_override: 4 }))).to.deep.equal(SELF_APPROVAL);
      await service.sql.query(
        "insert into leave_settings (id, organisation_id, self_approval) values (gen_random_uuid(), $1, true)",
        [tenant.organisation.id],
      );
      expect((await ask(admin, { hours_override: 4 })).body.hours).to.equal("4.00");
    });
  });
});

import { expect } from "chai";
import { reaches } from "../../../core/values/scope.ts";
import { actsAsApprover, type LeaveCaller, mayBackdate, selfApprovalAllowed } from "../../../services/people/powers.ts";
import {
  isPast,
  type OccupiedSpan,
  occupies,
  overlapping,
  type RequestStatus,
} from "../../../services/people/requests/status.ts";
import {
  approvalDecision,
  cancelDecision,
  creationDecision,
  type LeaveCalendar,
  type LeaveCase,
  mayWithdraw,
  type NewRequest,
  overrideAllowed,
} from "../../../services/people/requests/transitions.ts";
import { granted, HOLIDAYS, person, refusal, span } from "./support.ts";

const TODAY = "2029-06-15";
const member = (over: Partial<LeaveCaller> = {}): LeaveCaller => ({
  user_id: "me",
  reads: "own",
  writes: "own",
  approves: false,
  ...over,
});
const manager = (over: Partial<LeaveCaller> = {}): LeaveCaller => ({
  user_id: "boss",
  reads: "any",
  writes: "any",
  approves: true,
  ...over,
});
const leaveOf = (user_id: string, caller: LeaveCaller, self_approval = false): LeaveCase => ({
  caller,
  user_id,
  self_approval,
  today: TODAY,
});
const calendar = (requests: OccupiedSpan[] = []): LeaveCalendar => ({ person: person(), holidays: HOLIDAYS, requests });
const row = (start_date: string, end_date: string, status: RequestStatus = "approved"): OccupiedSpan => ({
  id: `${start_date} ${status}`,
  start_date,
  end_date,
  status,
});

describe("powers", () => {
  it("self-approval: the setting, or that no other member could", () => {
    expect([selfApprovalAllowed(true, 3), selfApprovalAllowed(false, 0), selfApprovalAllowed(false, 1)]).to.deep.equal([
      true,
      true,
      false,
    ]);
  });

  it("acts as approver on another's leave, on one's own only with self-approval", () => {
    expect(actsAsApprover(manager(), "me", false)).to.equal(true);
    expect(actsAsApprover(manager(), "boss", false)).to.equal(false);
    expect(actsAsApprover(manager(), "boss", true)).to.equal(true);
    expect(actsAsApprover(member(), "me", true)).to.equal(false);
  });

  it("may backdate with write :any on another's leave, on one's own only with self-approval", () => {
    expect(mayBackdate(manager({ approves: false }), "me", false)).to.equal(true);
    expect(mayBackdate(manager(), "boss", false)).to.equal(false);
    expect(mayBackdate(manager(), "boss", true)).to.equal(true);
    expect(mayBackdate(member(), "me", true)).to.equal(false);
  });

  it("a scope reaches one's own rows or everyone's; a service account owns none", () => {
    expect([
      reaches("own", "me", "me"),
      reaches("own", "me", "you"),
      reaches("any", "me", "you"),
      reaches(null, "me", "me"),
    ]).to.deep.equal([true, false, true, false]);
    expect([reaches("own", null, "me"), reaches("any", null, "me")]).to.deep.equal([false, true]);
  });
});

describe("occupying and overlap", () => {
  it("pending and approved requests occupy", () => {
    expect((["pending", "approved", "rejected", "cancelled"] as const).map(occupies)).to.deep.equal([true, true, false, false]);
  });

  it("no two share a calendar day, at any times", () => {
    const rows = [
      row("2029-07-02", "2029-07-06"),
      row("2029-08-01", "2029-08-01", "pending"),
      row("2029-09-01", "2029-09-30", "cancelled"),
    ];
    expect(overlapping(rows, { start_date: "2029-07-06", end_date: "2029-07-06" })).to.equal(rows[0]);
    expect(overlapping(rows, { start_date: "2029-07-07", end_date: "2029-07-31" })).to.equal(null);
    expect(overlapping(rows, { start_date: "2029-07-07", end_date: "2029-08-01" })).to.equal(rows[1]);
    expect(overlapping(rows, { start_date: "2029-09-10", end_date: "2029-09-10" })).to.equal(null);
    expect(overlapping(rows, { start_date: "2029-07-06", end_date: "2029-07-06" }, rows[0]?.id)).to.equal(null);
  });

  it("past looks at the start date; leave that starts today is not past", () => {
    expect([isPast("2029-06-14", TODAY), isPast(TODAY, TODAY), isPast("2029-06-16", TODAY)]).to.deep.equal([true, false, false]);
  });
});

describe("creating a request", () => {
  const asked = (over: Partial<NewRequest> = {}): NewRequest => ({
    span: span("2029-07-02", "2029-07-03"),
    type: { active: true, requires_approval: true },
    hours_override: null,
    ...over,
  });
  const create = (request: NewRequest, leave: LeaveCase, cal = calendar()): string | null =>
    refusal(creationDecision(request, leave, cal));
  const selfService = { active: true, requires_approval: false };

  it("is pending, for a self-service type approved at once; also when a manager registers it", () => {
    expect(granted(creationDecision(asked(), leaveOf("me", member()), calendar()))).to.include({
      status: "pending",
      event: "leave.requested",
      hours: "16.00",
    });
    expect(granted(creationDecision(asked(), leaveOf("me", manager()), calendar()))).to.include({
      status: "pending",
      event: "leave.requested",
    });
    expect(granted(creationDecision(asked({ type: selfService }), leaveOf("me", member()), calendar()))).to.include({
      status: "approved",
      event: "leave.approved",
    });
  });

  it("for another person needs write :any and read :any", () => {
    expect(create(asked(), leaveOf("you", member()))).to.equal("errors.forbidden");
    expect(create(asked(), leaveOf("you", member({ writes: "any" })))).to.equal("errors.forbidden");
    expect(create(asked(), leaveOf("you", member({ writes: "any", reads: "any" })))).to.equal(null);
    expect(create(asked(), leaveOf("me", member({ writes: null })))).to.equal("errors.forbidden");
    expect(create(asked(), leaveOf("me", member({ reads: null })))).to.equal(null);
  });

  it("needs an active type", () => {
    expect(create(asked({ type: null }), leaveOf("me", member()))).to.equal("not_found");
    expect(create(asked({ type: { ...selfService, active: false } }), leaveOf("me", member()))).to.equal(
      "leave_type_id=errors.validation",
    );
  });

  it("is locked in the past for who may not backdate", () => {
    const past = asked({ span: span("2029-06-14") });
    expect(create(past, leaveOf("me", member()))).to.equal("past_locked");
    expect(create(past, leaveOf("me", manager()))).to.equal(null);
    expect(create(past, leaveOf("boss", manager()))).to.equal("past_locked");
    expect(create(past, leaveOf("boss", manager(), true))).to.equal(null);
    expect(create(asked({ span: span(TODAY) }), leaveOf("me", member()))).to.equal(null);
  });

  it("takes an agreed number from who acts as approver only", () => {
    const agreed = asked({ hours_override: 12 });
    expect(create(agreed, leaveOf("me", member()))).to.equal("errors.forbidden");
    expect(create(agreed, leaveOf("boss", manager()))).to.equal("self_approval");
    const made = granted(creationDecision(agreed, leaveOf("me", manager()), calendar()));
    expect(made).to.include({ hours: "12.00", hours_override: "12.00", hours_override_by_user_id: "boss", status: "pending" });
    const plain = granted(creationDecision(asked(), leaveOf("me", member()), calendar()));
    expect(plain).to.include({ hours_override: null, hours_override_by_user_id: null });
  });

  it("an agreed number is above 0 and at most 2000", () => {
    expect([0, "0.01", 2000, "2000.01", -1].map(overrideAllowed)).to.deep.equal([false, true, true, false, false]);
  });

  it("a span worth nothing is refused, unless a number is agreed on", () => {
    const saturday = span("2029-07-07");
    expect(create(asked({ span: saturday }), leaveOf("me", member()))).to.equal("no_working_hours");
    const agreed = granted(creationDecision(asked({ span: saturday, hours_override: 4 }), leaveOf("me", manager()), calendar()));
    expect(agreed).to.include({ hours: "4.00" });
  });

  it("refuses overlap and a wrong span", () => {
    expect(create(asked(), leaveOf("me", member()), calendar([row("2029-07-03", "2029-07-03")]))).to.equal(
      "errors.leave_overlap",
    );
    expect(create(asked({ span: span("2029-07-03", "2029-07-02") }), leaveOf("me", member()))).to.equal(
      "end_date=errors.leave_end_before_start",
    );
  });

  it("freezes the display window", () => {
    const made = granted(
      creationDecision(asked({ span: span("2029-07-02 13:00", "2029-07-02") }), leaveOf("me", member()), calendar()),
    );
    expect(made.window).to.deep.equal({ resolved_start_time: "13:00", resolved_end_time: "17:00" });
  });

  it("checks in the order of the behaviour text", () => {
    const inactive = { active: false, requires_approval: true };
    const worst: NewRequest = { span: span("2029-06-10", "2029-06-09"), type: null, hours_override: 3 };
    const other = leaveOf("you", member());
    const mine = leaveOf("me", member());
    const busy = calendar([row("2029-06-01", "2029-06-30")]);
    expect(create(worst, other, busy)).to.equal("errors.forbidden");
    expect(create(worst, mine, busy)).to.equal("not_found");
    expect(create({ ...worst, type: inactive }, mine, busy)).to.equal("leave_type_id=errors.validation");
    expect(create({ ...worst, type: selfService }, mine, busy)).to.equal("past_locked");
    const later = { ...worst, type: selfService, span: span("2029-07-08", "2029-07-07") };
    expect(create(later, mine, busy)).to.equal("errors.forbidden");
    expect(create({ ...later, hours_override: null }, mine, busy)).to.equal("end_date=errors.leave_end_before_start");
    const sunday = { ...later, hours_override: null, span: span("2029-07-08") };
    expect(create(sunday, mine, calendar([row("2029-07-08", "2029-07-08")]))).to.equal("no_working_hours");
  });
});

describe("deciding on a request", () => {
  const decide = (status: RequestStatus, leave: LeaveCase, approved = true): string | null =>
    refusal(approvalDecision(approved, status, leave));

  it("approves or rejects pending leave", () => {
    expect(granted(approvalDecision(true, "pending", leaveOf("me", manager())))).to.include({
      status: "approved",
      event: "leave.approved",
    });
    expect(granted(approvalDecision(false, "pending", leaveOf("me", manager())))).to.include({
      status: "rejected",
      event: "leave.rejected",
    });
    for (const status of ["approved", "rejected", "cancelled"] as const)
      expect(decide(status, leaveOf("me", manager()))).to.equal("errors.leave_decided");
  });

  it("needs the permission, and self-approval on one's own", () => {
    expect(decide("pending", leaveOf("you", member({ reads: "any", writes: "any" })))).to.equal("errors.forbidden");
    expect(decide("pending", leaveOf("boss", manager()))).to.equal("self_approval");
    expect(decide("approved", leaveOf("boss", manager()))).to.equal("self_approval");
    expect(decide("pending", leaveOf("boss", manager(), true))).to.equal(null);
  });

  it("needs no read scope", () =>
    expect(decide("pending", leaveOf("me", manager({ reads: null, writes: null })))).to.equal(null));
});

describe("cancelling a request", () => {
  const request = (status: RequestStatus, over: object = {}) => ({
    start_date: "2029-07-02",
    status,
    type: { requires_approval: true, accrues_schedule_gap: false },
    ...over,
  });
  const cancel = (asked: ReturnType<typeof request>, leave: LeaveCase): string | null => refusal(cancelDecision(asked, leave));
  const selfService = { type: { requires_approval: false, accrues_schedule_gap: true } };

  it("pending leave by its owner or by write :any; only cancelling approved leave is an event", () => {
    expect(granted(cancelDecision(request("pending"), leaveOf("me", member())))).to.include({ status: "cancelled", event: null });
    expect(granted(cancelDecision(request("approved"), leaveOf("me", manager())))).to.include({
      status: "cancelled",
      event: "leave.cancelled",
    });
  });

  it("approved leave by who acts as approver, or one's own of a self-service type", () => {
    expect(cancel(request("approved"), leaveOf("me", member()))).to.equal("approved_locked");
    expect(cancel(request("approved", selfService), leaveOf("me", member()))).to.equal(null);
    expect(cancel(request("approved", selfService), leaveOf("you", manager({ approves: false })))).to.equal("approved_locked");
    expect(cancel(request("approved"), leaveOf("boss", manager()))).to.equal("approved_locked");
    expect(cancel(request("approved"), leaveOf("boss", manager(), true))).to.equal(null);
  });

  it("someone else's is 404 without read :any, 403 without write :any", () => {
    expect(cancel(request("pending"), leaveOf("you", member()))).to.equal("not_found");
    expect(cancel(request("pending"), leaveOf("you", member({ reads: "any" })))).to.equal("errors.forbidden");
  });

  it("past leave needs backdating, before its status is looked at", () => {
    const past = { start_date: "2029-06-14" };
    for (const status of ["pending", "approved", "cancelled"] as const)
      expect(cancel(request(status, past), leaveOf("me", member()))).to.equal("past_locked");
    expect(cancel(request("approved", past), leaveOf("me", manager()))).to.equal(null);
    expect(cancel(request("pending", { start_date: TODAY }), leaveOf("me", member()))).to.equal(null);
  });

  it("rejected or cancelled leave stays so", () => {
    for (const status of ["rejected", "cancelled"] as const)
      expect(cancel(request(status), leaveOf("me", manager()))).to.equal("errors.leave_decided");
  });

  it("withdrawing a free day is the ordinary cancel, of free-time types only", () => {
    const mine = leaveOf("me", member());
    expect(mayWithdraw(request("approved", selfService), mine)).to.equal(true);
    expect(mayWithdraw(request("approved", { ...selfService, start_date: "2029-06-14" }), mine)).to.equal(false);
    expect(mayWithdraw(request("approved", selfService), leaveOf("you", member()))).to.equal(false);
    expect(mayWithdraw(request("pending"), mine)).to.equal(false);
    expect(mayWithdraw(null, mine)).to.equal(false);
  });
});

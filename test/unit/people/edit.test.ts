import { expect } from "chai";
import type { LeaveCaller } from "../../../services/people/powers.ts";
import {
  type EditedRequest,
  type EditedType,
  editDecision,
  editedSpan,
  type RequestPatch,
  spanChanged,
} from "../../../services/people/requests/edit.ts";
import type { LeaveCalendar, LeaveCase } from "../../../services/people/requests/transitions.ts";
import { granted, HOLIDAYS, person, refusal, span } from "./support.ts";

const TODAY = "2029-06-15";
const member: LeaveCaller = { user_id: "me", reads: "own", writes: "own", approves: false };
const manager: LeaveCaller = { user_id: "boss", reads: "any", writes: "any", approves: true };
const mine: LeaveCase = { caller: member, user_id: "me", self_approval: false, today: TODAY };
const managed: LeaveCase = { ...mine, caller: manager };
const vacation: EditedType = { id: "vacation", active: true, requires_approval: true };
const sick: EditedType = { id: "sick", active: true, requires_approval: false };

const request = (over: Partial<EditedRequest> = {}): EditedRequest => ({
  id: "r",
  leave_type_id: "vacation",
  ...span("2029-07-02", "2029-07-03"),
  status: "approved",
  hours: "16.00",
  hours_override: null,
  hours_override_by_user_id: null,
  resolved_start_time: null,
  resolved_end_time: null,
  ...over,
});
const calendar: LeaveCalendar = { person: person(), holidays: HOLIDAYS, requests: [] };
const edit = (
  patch: RequestPatch,
  over: Partial<EditedRequest> = {},
  leave = mine,
  type: EditedType | null = vacation,
  cal = calendar,
) => editDecision(request(over), patch, type, leave, cal);
const later: RequestPatch = { start_date: "2029-07-09", end_date: "2029-07-10" };

describe("editing a request: refusals", () => {
  it("visible 404, write 403, decided 409, type 404, inactive new type 422", () => {
    expect(refusal(edit(later, {}, { ...mine, user_id: "you" }))).to.equal("not_found");
    expect(refusal(edit(later, {}, { ...mine, user_id: "you", caller: { ...member, reads: "any" } }))).to.equal(
      "errors.forbidden",
    );
    for (const status of ["rejected", "cancelled"] as const)
      expect(refusal(edit(later, { status }))).to.equal("errors.leave_decided");
    expect(refusal(edit(later, {}, mine, null))).to.equal("not_found");
    expect(refusal(edit(later, {}, mine, { ...sick, active: false }))).to.equal("leave_type_id=errors.validation");
    expect(refusal(edit(later, {}, mine, { ...vacation, active: false }))).to.equal(null);
  });

  it("touching the agreed number, with null too, needs approver powers; leaving it alone does not", () => {
    const agreed = { hours: "12.00", hours_override: "12.00", hours_override_by_user_id: "boss" };
    expect(refusal(edit({ hours_override: null }, agreed))).to.equal("errors.forbidden");
    expect(refusal(edit({ hours_override: 3 }))).to.equal("errors.forbidden");
    const own = { ...mine, caller: { ...manager, user_id: "me" } };
    expect(refusal(edit({ hours_override: 3 }, {}, own))).to.equal("self_approval");
    expect(refusal(edit({ hours_override: 3 }, {}, { ...own, self_approval: true }))).to.equal(null);
    expect(refusal(edit({ note: "x" }, agreed))).to.equal(null);
  });

  it("span 422, nothing worked 422, overlap 409 with itself left out", () => {
    expect(refusal(edit({ end_date: "2029-07-01" }))).to.equal("end_date=errors.leave_end_before_start");
    expect(refusal(edit({ start_date: "2029-07-07", end_date: "2029-07-08" }))).to.equal("no_working_hours");
    const requests = [
      { id: "r", start_date: "2029-07-02", end_date: "2029-07-03", status: "approved" as const },
      { id: "other", start_date: "2029-07-10", end_date: "2029-07-10", status: "pending" as const },
    ];
    expect(refusal(edit(later, {}, mine, vacation, { ...calendar, requests }))).to.equal("errors.leave_overlap");
    expect(refusal(edit({ end_date: "2029-07-04" }, {}, mine, vacation, { ...calendar, requests }))).to.equal(null);
  });

  it("the past is locked when a date or time changed: the old or the new start before today", () => {
    const past = span("2029-06-14", "2029-06-18");
    expect(refusal(edit({ end_date: "2029-06-19" }, past))).to.equal("past_locked");
    expect(refusal(edit({ start_date: "2029-07-02", end_date: "2029-07-02" }, past))).to.equal("past_locked");
    expect(refusal(edit({ start_date: "2029-06-14" }))).to.equal("past_locked");
    expect(refusal(edit({ start_time: "10:00" }, past))).to.equal("past_locked");
    expect(refusal(edit({ note: "x" }, past))).to.equal(null);
    expect(refusal(edit({ end_date: "2029-06-19" }, past, managed))).to.equal(null);
    expect(refusal(edit({ start_date: TODAY }))).to.equal(null);
  });

  it("checks in the order of the behaviour text", () => {
    const cancelled = { status: "cancelled" as const };
    expect(refusal(edit({ hours_override: 1 }, cancelled, mine, null))).to.equal("errors.leave_decided");
    expect(refusal(edit({ hours_override: 1 }, {}, mine, null))).to.equal("not_found");
    const requests = [{ id: "other", start_date: "2029-06-01", end_date: "2029-06-30", status: "pending" as const }];
    const patch = { start_date: "2029-06-13", end_date: "2029-06-12" };
    expect(refusal(edit({ ...patch, hours_override: 1 }))).to.equal("errors.forbidden");
    expect(refusal(edit(patch))).to.equal("end_date=errors.leave_end_before_start");
    expect(refusal(edit({ ...patch, end_date: "2029-06-13" }, {}, mine, vacation, { ...calendar, requests }))).to.equal(
      "errors.leave_overlap",
    );
  });
});

describe("editing a request: figures", () => {
  it("recomputes hours with today's calendar and week, even a note edit", () => {
    expect(granted(edit({ note: "x" }, { hours: "12.00" })).hours).to.equal("16.00");
    expect(
      granted(edit({ note: "x" }, { hours: "16.00" }, mine, vacation, { ...calendar, holidays: new Set(["2029-07-02"]) })).hours,
    ).to.equal("8.00");
  });

  it("a changed span drops the agreed number unless it is restated; a note or type edit keeps it", () => {
    const agreed = { hours: "12.00", hours_override: "12.00", hours_override_by_user_id: "boss" };
    expect(granted(edit(later, agreed))).to.include({ hours: "16.00", hours_override: null, hours_override_by_user_id: null });
    expect(granted(edit({ note: "x" }, agreed))).to.include({
      hours: "12.00",
      hours_override: "12.00",
      hours_override_by_user_id: "boss",
    });
    expect(granted(edit({}, agreed, mine, sick))).to.include({ hours: "12.00", hours_override_by_user_id: "boss" });
    const other = { ...managed, caller: { ...manager, user_id: "other" } };
    expect(granted(edit({ ...later, hours_override: 12 }, agreed, other))).to.include({
      hours: "12.00",
      hours_override_by_user_id: "other",
    });
    expect(granted(edit({ hours_override: null }, agreed, managed))).to.include({ hours: "16.00", hours_override: null });
  });

  it("reads the span from the patch, null clearing a time, seconds dropped", () => {
    const stored = span("2029-07-02 10:00", "2029-07-03 12:00");
    expect(editedSpan(stored, {})).to.deep.equal(stored);
    expect(editedSpan(stored, { start_time: null, end_time: "13:00:30" })).to.deep.equal(span("2029-07-02", "2029-07-03 13:00"));
    expect(editedSpan(stored, { start_date: "2029-07-03" })).to.deep.equal(span("2029-07-03 10:00", "2029-07-03 12:00"));
    expect(spanChanged(stored, { ...stored, start_time: "10:00:00" })).to.equal(false);
    for (const patch of [{ start_date: "2029-07-01" }, { end_date: "2029-07-04" }, { start_time: "10:01" }, { end_time: null }]) {
      expect(spanChanged(stored, { ...stored, ...patch }), JSON.stringify(patch)).to.equal(true);
    }
  });

  it("freezes the window of the new span", () => {
    expect(granted(edit({ ...later, start_time: "13:00" })).window).to.deep.equal({
      resolved_start_time: "13:00",
      resolved_end_time: "17:00",
    });
  });
});

describe("editing a request: the new status", () => {
  const outcome = (
    patch: RequestPatch,
    over: Partial<EditedRequest> = {},
    leave = mine,
    type = vacation,
  ): (string | boolean | null)[] => {
    const { status, bounced, event } = granted(edit(patch, over, leave, type));
    return [status, bounced, event];
  };
  const stands = ["approved", false, null];
  const bounces = ["pending", true, "leave.requested"];

  it("an owner's relevant edit of approved leave bounces", () => {
    expect(outcome(later)).to.deep.equal(bounces);
    expect(outcome({ start_time: "10:00" })).to.deep.equal(bounces);
    expect(outcome({}, {}, mine, { ...vacation, id: "special" })).to.deep.equal(bounces);
  });

  it("an approver's edit stays approved", () => {
    expect(outcome(later, {}, managed)).to.deep.equal(["approved", false, "leave.updated"]);
    expect(outcome({ hours_override: 3 }, {}, managed)).to.deep.equal(stands);
  });

  it("an approver's own edit bounces without self-approval", () => {
    const own = { ...mine, caller: { ...manager, user_id: "me" } };
    expect(outcome(later, {}, own)).to.deep.equal(bounces);
    expect(outcome(later, {}, { ...own, self_approval: true })).to.deep.equal(["approved", false, "leave.updated"]);
  });

  it("a note-only edit does not bounce, unless recomputing changed the hours", () => {
    expect(outcome({ note: "x" })).to.deep.equal(stands);
    expect(outcome({ note: "x" }, { hours: "8.00" })).to.deep.equal(bounces);
    expect(outcome({ note: "x" }, { hours: "16" })).to.deep.equal(stands);
  });

  it("an owner edits future self-service leave freely; once it touches the past it bounces", () => {
    const own = { leave_type_id: "sick" };
    expect(outcome(later, own, mine, sick)).to.deep.equal(["approved", false, "leave.updated"]);
    const past = { ...own, ...span("2029-06-14", "2029-06-15") };
    expect(outcome({}, past, mine, { ...sick, id: "other" })).to.deep.equal(bounces);
    expect(outcome({ note: "x" }, { ...past, hours: "8.00" }, mine, sick)).to.deep.equal(bounces);
  });

  it("approved leave moved to a self-service type stays approved; self-service moved to an approval type bounces", () => {
    expect(outcome({}, {}, mine, sick), "the calendar mirror shows the type").to.deep.equal(["approved", false, "leave.updated"]);
    expect(outcome({}, { leave_type_id: "sick" }, mine, vacation)).to.deep.equal(bounces);
  });

  it("dropping an agreed number is relevant even where the hours stay", () => {
    const agreed = { hours: "16.00", hours_override: "16.00", hours_override_by_user_id: "x" };
    const someone: LeaveCase = { ...managed, caller: { ...manager, approves: false } };
    expect(outcome({ note: "x" }, agreed, someone)).to.deep.equal(stands);
    expect(outcome(later, agreed, someone)).to.deep.equal(bounces);
  });

  it("editing pending leave never approves it, not even to a self-service type", () => {
    const waiting = { status: "pending" as const };
    expect(outcome(later, waiting, managed)).to.deep.equal(["pending", false, null]);
    expect(outcome({}, waiting, mine, sick)).to.deep.equal(["pending", false, null]);
    expect(outcome(later, waiting)).to.deep.equal(["pending", false, null]);
  });
});

import { expect } from "chai";
import { feedWindow } from "../../../core/calendar/calendar-text.ts";
import { type FeedRequest, feedEvent, feedTime, labelIn, mirrorTime } from "../../../services/people/calendar/calendar-feed.ts";
import { leavePayload, notifiedBy } from "../../../services/people/requests/leave-events.ts";
import { absenceOn, fullyAbsent } from "../../../services/people/working-time/coverage.ts";
import { displayWindow, type Span, spanCost } from "../../../services/people/working-time/span-cost.ts";
import { layOut, leaveInstants } from "../../../services/people/working-time/team-layout.ts";
import { contract, HOLIDAYS, person, span, UNEVEN_WEEK, ZONE } from "./support.ts";

describe("layout of stored hours", () => {
  const laid = (hours: string, asked: Span, holidays: ReadonlySet<string> = HOLIDAYS) =>
    layOut(hours, spanCost(asked, person(), holidays));

  it("shares in proportion to day minutes, the residue on the largest day, the first among equals", () => {
    const days = laid("10", span("2029-09-10 15:00", "2029-09-12"));
    expect(days.map((day) => day.hours)).to.deep.equal(["1.11", "4.45", "4.44"]);
    expect(laid("0.05", span("2029-09-10", "2029-09-11")).map((day) => day.hours)).to.deep.equal(["0.03", "0.02"]);
  });

  it("states the reason for a day without hours", () => {
    expect(laid("16.00", span("2029-12-24", "2029-12-29")).map((day) => [day.hours, day.reason])).to.deep.equal([
      ["5.34", null],
      ["0.00", "holiday"],
      ["0.00", "holiday"],
      ["5.33", null],
      ["5.33", null],
      ["0.00", "not_scheduled"],
    ]);
  });

  it("without any minute everything is on the start date", () => {
    expect(laid("12", span("2029-09-15", "2029-09-16"))).to.deep.equal([
      { date: "2029-09-15", hours: "12.00", reason: null },
      { date: "2029-09-16", hours: "0.00", reason: "not_scheduled" },
    ]);
  });
});

describe("instants of leave", () => {
  const instants = (asked: Span, who = person()): (string | null)[] => {
    const { starts_at, ends_at } = leaveInstants({ ...asked, ...displayWindow(asked, who) }, who, ZONE);
    return [starts_at, ends_at];
  };

  it("a single day has its window, or the scheduled block when whole", () => {
    expect(instants(span("2029-09-11"))).to.deep.equal(["2029-09-11T08:30:00+02:00", "2029-09-11T17:00:00+02:00"]);
    expect(instants(span("2029-09-11 13:30", "2029-09-11"))).to.deep.equal([
      "2029-09-11T13:30:00+02:00",
      "2029-09-11T17:00:00+02:00",
    ]);
    expect(instants(span("2029-01-09", "2029-01-09 10:00"))).to.deep.equal([
      "2029-01-09T08:30:00+01:00",
      "2029-01-09T10:00:00+01:00",
    ]);
  });

  it("several days and a day without work have none", () => {
    expect(instants(span("2029-09-11", "2029-09-12"))).to.deep.equal([null, null]);
    expect(instants(span("2029-09-15 10:00", "2029-09-15 12:00"))).to.deep.equal([null, null]);
  });

  it("a frozen window stays when the week changes", () => {
    const frozen = { ...span("2029-09-10 13:00", "2029-09-10"), resolved_start_time: "13:00", resolved_end_time: "16:00" };
    expect(leaveInstants(frozen, person(), ZONE).ends_at).to.equal("2029-09-10T16:00:00+02:00");
  });
});

describe("absence", () => {
  const approved = [span("2029-09-10", "2029-09-12 12:00"), span("2029-09-13 12:45", "2029-09-13 16:00")];
  const absence = (date: string, who = person()): number[] => {
    const { scheduled_minutes, leave_minutes } = absenceOn(date, who, HOLIDAYS, approved);
    return [scheduled_minutes, leave_minutes];
  };

  it("counts scheduled minutes that were holiday or approved leave", () => {
    expect(
      ["2029-09-10", "2029-09-12", "2029-09-13", "2029-09-14", "2029-09-15", "2029-12-25"].map((date) => absence(date)),
    ).to.deep.equal([
      [480, 480],
      [480, 210],
      [480, 180],
      [480, 0],
      [0, 0],
      [480, 480],
    ]);
    const who = person({ contracts: [contract("2029-01-01", null, { schedule: UNEVEN_WEEK })] });
    expect([absence("2029-09-10", who), absence("2029-09-13", who)]).to.deep.equal([
      [465, 465],
      [240, 0],
    ]);
  });

  it("expects no timesheet of a week that was all holiday, leave or unscheduled", () => {
    const week = (spans: Span[], monday = "2029-09-10", sunday = "2029-09-16"): boolean =>
      fullyAbsent(monday, sunday, person(), HOLIDAYS, spans);
    expect(week([span("2029-09-10", "2029-09-14")])).to.equal(true);
    expect(week([span("2029-09-10", "2029-09-14 16:59")])).to.equal(false);
    expect(week([])).to.equal(false);
    expect(week([span("2029-12-24"), span("2029-12-27", "2029-12-28")], "2029-12-24", "2029-12-30")).to.equal(true);
    expect(
      fullyAbsent(
        "2029-09-10",
        "2029-09-16",
        person({ default_schedule: { ...UNEVEN_WEEK, mon: null, wed: null, thu: null } }),
        HOLIDAYS,
        [],
      ),
    ).to.equal(true);
  });
});

describe("calendar feed", () => {
  const request = (asked: Span, over: Partial<FeedRequest> = {}): FeedRequest => ({
    ...asked,
    ...displayWindow(asked, person()),
    id: "7",
    user_id: "me",
    user_name: "Noor Bakker",
    note: "to the sea",
    ...over,
  });
  const timed = { key: "t", label_i18n: { nl: "Vrije tijd", en: "Free time" }, calendar_display: "timed" } as const;
  const allDay = { ...timed, calendar_display: "all_day" } as const;
  const reader = { user_id: "me", locale: "nl", fallback_locale: "en", zone: ZONE };

  it("holds today - 34 through today + 365", () => {
    expect(feedWindow("2029-03-01")).to.deep.equal({ from: "2029-01-26", to: "2030-03-01" });
  });

  it("is timed for a single day of a timed type or with a window, else whole days with an exclusive end", () => {
    const whole = { all_day: true, start: "2029-09-11", end: "2029-09-12" };
    const block = { all_day: false, start: "2029-09-11T08:30:00+02:00", end: "2029-09-11T17:00:00+02:00" };
    const afternoon = { ...block, start: "2029-09-11T13:00:00+02:00" };
    const one = span("2029-09-11");
    const windowed = span("2029-09-11 13:00", "2029-09-11");
    const several = span("2029-09-11", "2029-09-13");
    expect(feedTime(request(one), timed, person(), ZONE)).to.deep.equal(block);
    expect(feedTime(request(one), allDay, person(), ZONE)).to.deep.equal(whole);
    expect(feedTime(request(windowed), allDay, person(), ZONE)).to.deep.equal(afternoon);
    expect(feedTime(request(span("2029-09-11", "2029-09-11 10:00")), allDay, person(), ZONE)).to.include({ all_day: false });
    expect(feedTime(request(several), timed, person(), ZONE)).to.deep.equal({
      all_day: true,
      start: "2029-09-11",
      end: "2029-09-14",
    });
    expect(feedTime(request(span("2029-09-15")), timed, person(), ZONE)).to.deep.equal({
      all_day: true,
      start: "2029-09-15",
      end: "2029-09-16",
    });
    expect(mirrorTime(request(windowed), allDay, person(), ZONE)).to.deep.equal(whole);
    expect(mirrorTime(request(windowed), timed, person(), ZONE)).to.deep.equal(afternoon);
    expect(mirrorTime(request(several), timed, person(), ZONE)).to.include({ all_day: true });
  });

  it("shows one's own type and note, of others name and time only", () => {
    const own = feedEvent(request(span("2029-09-11")), timed, person(), reader);
    expect([own.uid, own.summary, own.description]).to.deep.equal(["leave-request-7", "Vrije tijd", "to the sea"]);
    const other = feedEvent(request(span("2029-09-11"), { user_id: "you" }), timed, person(), reader);
    expect([other.summary, other.description, other.time]).to.deep.equal(["Noor Bakker", null, own.time]);
  });

  it("finds a label in the language, the fallback, any, else the key", () => {
    expect(labelIn(timed, "en", "nl")).to.equal("Free time");
    expect(labelIn(timed, "fr", "nl")).to.equal("Vrije tijd");
    expect(labelIn({ key: "k", label_i18n: { nl: "", de: "Urlaub" } }, "nl", "en")).to.equal("Urlaub");
    expect(labelIn({ key: "k", label_i18n: {} }, "nl", "en")).to.equal("k");
  });
});

describe("events of leave", () => {
  const asked = span("2029-09-14 13:00", "2029-09-17");
  const stored = { ...asked, id: "7", user_id: "me", leave_type_id: "t", hours: "12" };
  const cost = spanCost(asked, person(), HOLIDAYS);
  const base = { leave_request_id: "7", user_id: "me", leave_type_id: "t", ...asked, hours: "12.00" };

  it("carry the request, approved and updated ones a breakdown per day", () => {
    const days = [
      { date: "2029-09-14", hours: "4.00", reason: null },
      { date: "2029-09-15", hours: "0.00", reason: "not_scheduled" },
      { date: "2029-09-16", hours: "0.00", reason: "not_scheduled" },
      { date: "2029-09-17", hours: "8.00", reason: null },
    ];
    for (const event of ["leave.approved", "leave.updated"] as const)
      expect(leavePayload(event, stored, cost)).to.deep.equal({ ...base, days });
    for (const event of ["leave.requested", "leave.rejected", "leave.cancelled"] as const)
      expect(leavePayload(event, stored, cost)).to.deep.equal(base);
  });

  it("notify approvers of pending leave, the requester of a decision, else no one", () => {
    expect(notifiedBy("leave.requested", false)).to.equal("approvers");
    expect([notifiedBy("leave.approved", true), notifiedBy("leave.rejected", true)]).to.deep.equal(["requester", "requester"]);
    expect([
      notifiedBy("leave.approved", false),
      notifiedBy("leave.cancelled", false),
      notifiedBy("leave.updated", false),
    ]).to.deep.equal(["nobody", "nobody", "nobody"]);
    expect(notifiedBy("leave.updated", true)).to.equal("nobody");
  });
});

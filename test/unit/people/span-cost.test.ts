import { expect } from "chai";
import { holidayWindow, windowErrors } from "../../../services/people/limits.ts";
import { displayWindow, type FreeReason, spanCost, spanErrors } from "../../../services/people/working-time/span-cost.ts";
import { contract, HOLIDAYS, person, span, UNEVEN_WEEK, week } from "./support.ts";

describe("span", () => {
  const cases: [start: string, end: string, errors: object][] = [
    ["2029-09-11", "2029-09-10", { end_date: "errors.leave_end_before_start" }],
    ["2029-09-11", "2029-09-11", {}],
    ["2029-09-11 14:00", "2029-09-11 13:00", { end_time: "errors.leave_end_time_before_start" }],
    ["2029-09-11 14:00", "2029-09-11 14:00", { end_time: "errors.leave_end_time_before_start" }],
    ["2029-09-11 14:00", "2029-09-11 14:01", {}],
    ["2029-09-11 14:00", "2029-09-12 13:00", {}],
    ["2029-09-11 14:00", "2029-09-11", {}],
    ["2029-01-01", "2030-01-01", {}],
    ["2029-01-01", "2030-01-02", { end_date: "errors.validation" }],
    ["2028-01-01", "2028-12-31", {}],
  ];
  for (const [start, end, errors] of cases) {
    it(`${start} – ${end}: ${JSON.stringify(errors)}`, () => expect(spanErrors(span(start, end))).to.deep.equal(errors));
  }
});

describe("price of a span", () => {
  const reasons = (start: string, end: string, who = person()): (FreeReason | null)[] =>
    spanCost(span(start, end), who, HOLIDAYS).breakdown.map((day) => day.reason);

  it("says why a day is free; a weekend holiday is not scheduled", () => {
    // 2027: Boxing Day is a Sunday, Christmas Day a Saturday
    expect(reasons("2027-12-24", "2027-12-27")).to.deep.equal([null, "not_scheduled", "not_scheduled", null]);
    expect(reasons("2029-12-25 08:00", "2029-12-25 08:10")).to.deep.equal(["holiday"]);
    expect(reasons("2029-09-11 18:00", "2029-09-11 19:00")).to.deep.equal(["outside_hours"]);
    expect(reasons("2029-09-11 12:30", "2029-09-11 13:00")).to.deep.equal(["outside_hours"]);
    expect(reasons("2029-09-11 17:00", "2029-09-12")).to.deep.equal(["outside_hours", null]);
  });

  it("a day whose breaks eat it counts as not scheduled", () => {
    const eaten = person({ default_schedule: week({ tue: "09:00-10:00 09:00-10:00" }) });
    expect(reasons("2029-09-11", "2029-09-11", eaten)).to.deep.equal(["not_scheduled"]);
  });

  it("a deactivated holiday is an ordinary working day", () => {
    expect(spanCost(span("2029-12-25"), person(), new Set()).hours).to.equal("8.00");
  });

  it("times bound the first and the last day only", () => {
    const cost = spanCost(span("2029-09-10 16:00", "2029-09-12 09:30"), person(), HOLIDAYS);
    expect(cost.breakdown.map((day) => day.minutes)).to.deep.equal([60, 480, 60]);
    expect([cost.minutes, cost.hours]).to.deep.equal([600, "10.00"]);
  });

  it("prices every day with that day's week", () => {
    const who = person({ contracts: [contract("2029-09-12", "2029-09-12", { schedule: UNEVEN_WEEK })] });
    expect(spanCost(span("2029-09-11", "2029-09-13"), who, HOLIDAYS).breakdown.map((day) => day.minutes)).to.deep.equal([
      480, 240, 480,
    ]);
  });

  it("rounds once, on the total", () => {
    const who = person({ default_schedule: week({ mon: "09:00-09:20", tue: "09:00-09:20", wed: "09:00-09:20" }) });
    const cost = spanCost(span("2029-09-10", "2029-09-12"), who, HOLIDAYS);
    expect(cost.breakdown.map((day) => day.hours)).to.deep.equal(["0.33", "0.33", "0.33"]);
    expect(cost.hours).to.equal("1.00");
  });
});

describe("display window", () => {
  it("fills an omitted bound from that day's schedule", () => {
    const who = person({ default_schedule: UNEVEN_WEEK });
    const window = (start: string, end?: string): (string | null)[] => {
      const { resolved_start_time, resolved_end_time } = displayWindow(span(start, end), who);
      return [resolved_start_time, resolved_end_time];
    };
    expect(window("2029-09-10")).to.deep.equal([null, null]);
    expect(window("2029-09-10 13:00", "2029-09-10")).to.deep.equal(["13:00", "17:30"]);
    expect(window("2029-09-10", "2029-09-12 10:00")).to.deep.equal(["09:00", "10:00"]);
    expect(window("2029-09-10 13:00", "2029-09-12")).to.deep.equal(["13:00", "12:00"]);
    expect(window("2029-09-11 13:00", "2029-09-11")).to.deep.equal(["13:00", null]);
    expect(window("2029-09-11", "2029-09-12 10:00")).to.deep.equal([null, "10:00"]);
  });
});

describe("limits", () => {
  it("a read window holds at most 400 days, ends counted and in order", () => {
    expect(windowErrors("2029-01-01", "2030-02-04")).to.deep.equal({});
    expect(windowErrors("2029-01-01", "2030-02-05")).to.deep.equal({ date_to: "errors.validation" });
    expect(windowErrors("2029-01-02", "2029-01-01")).to.deep.equal({ date_to: "errors.leave_end_before_start" });
    expect(windowErrors("2029-01-01", "2029-01-01")).to.deep.equal({});
  });
});

describe("window of a read of holidays", () => {
  it("dates win over the year, and the default year is today's", () => {
    const of = (query: object): string => Object.values(holidayWindow(query, "2029-06-15")).join(" ");
    expect(of({})).to.equal("2029-01-01 2029-12-31");
    expect(of({ year: 2031 })).to.equal("2031-01-01 2031-12-31");
    expect(of({ year: 2031, date_from: "2030-05-01", date_to: "2030-06-01" })).to.equal("2030-05-01 2030-06-01");
    expect(of({ year: 2031, date_from: "2030-05-01" })).to.equal("2031-01-01 2031-12-31");
    expect(of({ year: null, date_to: "2030-05-01" })).to.equal("2029-01-01 2029-12-31");
  });
});

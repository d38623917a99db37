import { expect } from "chai";
import { eachDay } from "../../../core/calendar/dates.ts";
import { usualPeriod } from "../../../services/reporting/runs/asked-period.ts";
import {
  BUILT_IN,
  effectiveSchedule,
  nextRunOn,
  type OwnSchedule,
  ownSchedule,
} from "../../../services/reporting/schedule/schedule.ts";

describe("the schedule in force (workspace-reporting §1.4)", () => {
  const rows: [what: string, organisation: OwnSchedule, client: OwnSchedule, expected: OwnSchedule][] = [
    ["built in: monthly on the 5th at 8, against last year, reviewed, in the portal", {}, {}, {}],
    ["the organisation's keys", { cadence: "quarterly", hour: 0 }, {}, { cadence: "quarterly", hour: 0 }],
    ["the client's keys before the organisation's", { hour: 9, day_of_month: 2 }, { hour: 7 }, { hour: 7, day_of_month: 2 }],
    [
      "false and 0 say something",
      { publish_to_portal: true, hour: 6 },
      { publish_to_portal: false, hour: 0 },
      { publish_to_portal: false, hour: 0 },
    ],
  ];
  for (const [what, organisation, client, expected] of rows)
    it(`is ${what}`, () => {
      expect(effectiveSchedule(organisation, client)).to.deep.equal({ ...BUILT_IN, ...expected });
    });

  it("inherits by null as by a key that is not there, and knows no other key", () => {
    const sent = { cadence: null, hour: 3, surprise: true } as Parameters<typeof ownSchedule>[0];
    expect(ownSchedule(sent)).to.deep.equal({ hour: 3 });
    expect(ownSchedule(undefined)).to.deep.equal({});
  });

  it("has the built-in values of the text", () => {
    expect(BUILT_IN).to.deep.equal({
      cadence: "monthly",
      day_of_month: 5,
      hour: 8,
      compare: "year",
      delivery: "review",
      publish_to_portal: true,
    });
  });
});

describe("the day of the next run (workspace-reporting §1.4)", () => {
  const rows: [cadence: "off" | "monthly" | "quarterly", day: number, today: string, expected: string | null][] = [
    ["monthly", 5, "2026-03-04", "2026-03-05"],
    ["monthly", 5, "2026-03-05", "2026-04-05"],
    ["monthly", 5, "2026-03-06", "2026-04-05"],
    ["monthly", 28, "2026-02-27", "2026-02-28"],
    ["monthly", 28, "2026-02-28", "2026-03-28"],
    ["monthly", 28, "2028-02-29", "2028-03-28"],
    ["monthly", 1, "2026-12-31", "2027-01-01"],
    ["monthly", 1, "2026-12-01", "2027-01-01"],
    ["quarterly", 5, "2026-01-04", "2026-01-05"],
    ["quarterly", 5, "2026-01-05", "2026-04-05"],
    ["quarterly", 5, "2026-02-01", "2026-04-05"],
    ["quarterly", 5, "2026-03-31", "2026-04-05"],
    ["quarterly", 28, "2026-04-01", "2026-04-28"],
    ["quarterly", 1, "2026-07-01", "2026-10-01"],
    ["quarterly", 1, "2026-10-01", "2027-01-01"],
    ["quarterly", 12, "2026-11-26", "2027-01-12"],
    ["off", 5, "2026-03-04", null],
  ];
  for (const [cadence, day_of_month, today, expected] of rows)
    it(`is ${expected} for ${cadence} on the ${day_of_month} as seen on ${today}`, () => {
      expect(nextRunOn({ ...BUILT_IN, cadence, day_of_month }, true, today)).to.equal(expected);
    });

  it("is null for an inactive profile", () => {
    expect(nextRunOn(BUILT_IN, false, "2026-03-04")).to.equal(null);
  });
});

describe("the period of a scheduled report (workspace-reporting §1.5)", () => {
  for (const cadence of ["monthly", "quarterly"] as const)
    it(`has ended on every day that a ${cadence} run may fall on`, () => {
      for (const today of eachDay("2027-01-01", "2028-12-31")) {
        const { start, end } = usualPeriod({ cadence }, today);
        expect(start < end && end < today, today).to.equal(true);
      }
    });
});

import { expect } from "chai";
import { daysInclusive, eachDay } from "../../../core/calendar/dates.ts";
import { comparedSpan, type DaySpan, namedSpan } from "../../../core/calendar/named-spans.ts";
import { askedSpan } from "../../../integrations/marketing/periods/asked-span.ts";
import { countedSpans, spanRows, wholeMonths } from "../../../integrations/marketing/periods/counted-spans.ts";
import { deltaPct } from "../../../integrations/marketing/periods/kpi.ts";

const TODAY = "2026-08-10";
const text = ({ from, to }: DaySpan) => `${from}..${to}`;
const counted = (token: string, mode: "year" | "previous", behind: number, today = TODAY) => {
  const spans = countedSpans(namedSpan(token, today), mode, today, behind);
  return spans && `${text(spans.current)} against ${text(spans.previous)}`;
};

describe("the days that count of late sources (marketing-ads §2.6)", () => {
  for (const [what, token, mode, behind, today, expected] of [
    [
      "are all days of a source that is on time",
      "7d",
      "previous",
      0,
      TODAY,
      "2026-08-03..2026-08-09 against 2026-07-27..2026-08-02",
    ],
    ["end three days earlier in both spans", "7d", "previous", 3, TODAY, "2026-08-03..2026-08-06 against 2026-07-27..2026-07-30"],
    ["end three days earlier a year before", "30d", "year", 3, TODAY, "2026-07-11..2026-08-06 against 2025-07-11..2025-08-06"],
    [
      "are all days of a span that ended before",
      "last_month",
      "previous",
      3,
      TODAY,
      "2026-07-01..2026-07-31 against 2026-06-01..2026-06-30",
    ],
    [
      "are as many of months that differ",
      "last_month",
      "previous",
      2,
      "2026-08-02",
      "2026-07-01..2026-07-30 against 2026-06-01..2026-06-30",
    ],
    [
      "end with the shorter month",
      "last_month",
      "previous",
      1,
      "2026-04-01",
      "2026-03-01..2026-03-30 against 2026-02-01..2026-02-28",
    ],
    [
      "compare 29 February with nothing of its own",
      "7d",
      "year",
      1,
      "2028-03-02",
      "2028-02-24..2028-02-29 against 2027-02-24..2027-02-28",
    ],
    ["are none where the whole span is late", "1d", "year", 1, TODAY, null],
    ["are none of a span that has not begun", "2026-09", "year", 0, TODAY, null],
    ["are none on the second day of a month", "month", "previous", 3, "2026-08-02", null],
  ] as [string, string, "year" | "previous", number, string, string | null][])
    it(what, () => expect(counted(token, mode, behind, today)).to.equal(expected));

  it("are the same number in both spans on every day, where the spans themselves have as many", () => {
    for (const today of eachDay("2027-01-01", "2028-12-31"))
      for (const token of ["7d", "30d", "90d", "365d", "400d", "month", "last_month", "quarter", "last_quarter"])
        for (const mode of ["year", "previous"] as const)
          for (const behind of [1, 2, 3]) {
            const span = namedSpan(token, today);
            const compared = comparedSpan(span, mode);
            const spans = countedSpans(span, mode, today, behind);
            if (spans === null || daysInclusive(span.from, span.to) !== daysInclusive(compared.from, compared.to)) continue;
            const [one, other] = [spans.current, spans.previous].map(({ from, to }) => daysInclusive(from, to));
            // A year earlier the leap day and 28 February are one day, so a span between them may be shorter by it.
            const hasLeapDay =
              mode === "year" &&
              [spans.current, spans.previous].some(({ from, to }) => from <= "2028-02-29" && "2028-02-29" <= to);
            if (!hasLeapDay) expect(one, `${token} ${mode} ${behind} on ${today}`).to.equal(other);
          }
  });

  it("are rows for every lateness", () => {
    const rows = spanRows(namedSpan("2d", TODAY), "previous", TODAY, 3);
    expect(rows.map(({ behind, part, end_on }) => `${behind} ${part} ${end_on}`)).to.deep.equal([
      "0 current 2026-08-09",
      "0 previous 2026-08-07",
      "1 current 2026-08-08",
      "1 previous 2026-08-06",
    ]);
  });
});

describe("the whole months of a span", () => {
  for (const [what, from, to, months_from, months_until] of [
    ["are those between its first and last days", "2025-08-10", "2026-08-09", "2025-09-01", "2026-08-01"],
    ["are a month from its first to its last day", "2028-02-01", "2028-02-29", "2028-02-01", "2028-03-01"],
    ["are a year", "2026-01-01", "2026-12-31", "2026-01-01", "2027-01-01"],
    ["are none of a month without its last day", "2028-02-01", "2028-02-28", "2028-02-29", "2028-02-29"],
    ["are none of a month without its first day", "2026-07-02", "2026-07-31", "2026-08-01", "2026-08-01"],
    ["are none of days in two months", "2026-07-20", "2026-08-10", "2026-08-11", "2026-08-11"],
    ["are none of one day", "2026-08-10", "2026-08-10", "2026-08-11", "2026-08-11"],
  ] as const)
    it(what, () => expect(wholeMonths({ from, to })).to.deep.equal({ months_from, months_until }));
});

describe("the requested span (marketing-ads §1)", () => {
  for (const [query, expected] of [
    [{ range_days: 7 }, "2026-08-03..2026-08-09 7"],
    [{ range_days: 7, period: "last_month" }, "2026-07-01..2026-07-31 31"],
    [{ range_days: 7, period: "   " }, "2026-08-03..2026-08-09 7"],
    [{ range_days: 7, period: "" }, "2026-08-03..2026-08-09 7"],
    [{ range_days: 7, period: "nonsense" }, "2026-07-11..2026-08-09 30"],
    [{ range_days: 400 }, "2025-07-06..2026-08-09 400"],
  ] as [{ range_days: number; period?: string }, string][])
    it(`is ${expected} for ${JSON.stringify(query)}`, () => {
      const span = askedSpan(query, TODAY);
      expect(`${text(span)} ${span.days}`).to.equal(expected);
    });
});

describe("the change of a metric in percent (marketing-ads §1)", () => {
  for (const [current, previous, expected] of [
    [110, 100, 10],
    [100, 110, -9.1],
    [100, 100, 0],
    [5, 0, null],
    [0, 0, null],
    [0, 8, -100],
    [1.0005, 1, 0.1],
    [0.9995, 1, -0.1],
    [0.3, 0.1, 200],
    [7.25, 8.5, -14.7],
  ] as [number, number, number | null][])
    it(`from ${previous} to ${current} is ${expected}`, () => expect(deltaPct(current, previous)).to.equal(expected));
});

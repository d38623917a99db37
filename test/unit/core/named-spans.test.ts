import { expect } from "chai";
import {
  type Comparison,
  comparedSpan,
  namedSpan,
  rememberedComparison,
  requestedSpan,
} from "../../../core/calendar/named-spans.ts";

const TODAY = "2026-08-10";
const text = ({ from, to }: { from: string; to: string }) => `${from}..${to}`;

/** The table of marketing-ads §1: token, day, span, and what `year` and `previous` compare it with. */
const EXAMPLES: [token: string, today: string, span: string, year: string | null, previous: string | null][] = [
  ["30d", TODAY, "2026-07-11..2026-08-09", "2025-07-11..2025-08-09", "2026-06-11..2026-07-10"],
  ["90d", TODAY, "2026-05-12..2026-08-09", "2025-05-12..2025-08-09", "2026-02-11..2026-05-11"],
  ["yoy", TODAY, "2025-08-10..2026-08-09", "2024-08-10..2025-08-09", "2024-08-10..2025-08-09"],
  ["year", TODAY, "2025-08-10..2026-08-09", "2024-08-10..2025-08-09", "2024-08-10..2025-08-09"],
  ["month", TODAY, "2026-08-01..2026-08-09", "2025-08-01..2025-08-09", "2026-07-23..2026-07-31"],
  ["last_month", TODAY, "2026-07-01..2026-07-31", "2025-07-01..2025-07-31", "2026-06-01..2026-06-30"],
  ["2026-07", TODAY, "2026-07-01..2026-07-31", "2025-07-01..2025-07-31", "2026-06-01..2026-06-30"],
  ["quarter", TODAY, "2026-07-01..2026-08-09", "2025-07-01..2025-08-09", "2026-05-22..2026-06-30"],
  ["2026-Q3", TODAY, "2026-07-01..2026-08-09", "2025-07-01..2025-08-09", "2026-05-22..2026-06-30"],
  ["2026-q3", TODAY, "2026-07-01..2026-08-09", "2025-07-01..2025-08-09", "2026-05-22..2026-06-30"],
  ["last_quarter", TODAY, "2026-04-01..2026-06-30", "2025-04-01..2025-06-30", "2025-12-31..2026-03-31"],
  ["2026-09", TODAY, "2026-09-01..2026-09-30", "2025-09-01..2025-09-30", "2026-08-01..2026-08-31"],
  ["2026-08", TODAY, "2026-08-01..2026-08-09", "2025-08-01..2025-08-09", "2026-07-23..2026-07-31"],
  ["9999d", TODAY, "2025-07-06..2026-08-09", null, null],
  ["0d", TODAY, "2026-08-09..2026-08-09", "2025-08-09..2025-08-09", "2026-08-08..2026-08-08"],
  ["000007d", TODAY, "2026-08-03..2026-08-09", null, null],
  ["month", "2026-08-01", "2026-07-01..2026-07-31", "2025-07-01..2025-07-31", "2026-06-01..2026-06-30"],
  ["2026-08", "2026-08-01", "2026-08-01..2026-08-31", null, "2026-07-01..2026-07-31"],
  ["quarter", "2026-01-01", "2025-10-01..2025-12-31", "2024-10-01..2024-12-31", "2025-07-01..2025-09-30"],
  ["last_quarter", "2026-01-01", "2025-10-01..2025-12-31", null, null],
  ["last_month", "2026-03-31", "2026-02-01..2026-02-28", "2025-02-01..2025-02-28", "2026-01-01..2026-01-31"],
  ["week", "2026-08-13", "2026-08-10..2026-08-12", "2025-08-10..2025-08-12", "2026-08-07..2026-08-09"],
  ["week", TODAY, "2026-08-03..2026-08-09", "2025-08-03..2025-08-09", "2026-07-27..2026-08-02"],
  ["week", "2026-01-01", "2025-12-29..2025-12-31", null, null],
  ["last_week", "2026-08-16", "2026-08-03..2026-08-09", null, "2026-07-27..2026-08-02"],
  ["last_week", TODAY, "2026-08-03..2026-08-09", null, null],
  ["ytd", TODAY, "2026-01-01..2026-08-09", "2025-01-01..2025-08-09", "2025-05-25..2025-12-31"],
  ["YTD", "2026-01-01", "2025-01-01..2025-12-31", "2024-01-01..2024-12-31", "2024-01-02..2024-12-31"],
  ["last_year", TODAY, "2025-01-01..2025-12-31", "2024-01-01..2024-12-31", "2024-01-02..2024-12-31"],
  ["last_year", "2029-01-01", "2028-01-01..2028-12-31", "2027-01-01..2027-12-31", "2026-12-31..2027-12-31"],
  ["  LAST_Month ", TODAY, "2026-07-01..2026-07-31", null, null],
  [" 7D", TODAY, "2026-08-03..2026-08-09", null, null],
  ["0002-01", TODAY, "0002-01-01..0002-01-31", "0001-01-01..0001-01-31", "0001-12-01..0001-12-31"],
  ["9999-Q4", TODAY, "9999-10-01..9999-12-31", "9998-10-01..9998-12-31", "9999-07-01..9999-09-30"],
];

const UNKNOWN = [
  "2026-13",
  "2026-00",
  "2026-Q5",
  "2026-Q0",
  "0001-12",
  "0000-Q1",
  "0001-Q4",
  "1234567d",
  "-7d",
  "7 d",
  "d",
  "2026",
  "2026-7",
];
const ALSO_UNKNOWN = [
  "weekly",
  "last_years",
  "2026-08-10",
  "''; drop",
  "constructor",
  "__proto__",
  "٧d",
  "７d",
  "",
  "  ",
  undefined,
  null,
];

describe("named spans of days", () => {
  for (const [token, today, span, year, previous] of EXAMPLES)
    it(`resolves ${JSON.stringify(token)} on ${today} to ${span}`, () => {
      const resolved = namedSpan(token, today);
      expect(text(resolved)).to.equal(span);
      if (year !== null) expect(text(comparedSpan(resolved, "year"))).to.equal(year);
      if (previous !== null) expect(text(comparedSpan(resolved, "previous"))).to.equal(previous);
    });

  it("takes a token it does not know for 30d, and never fails", () => {
    for (const token of [...UNKNOWN, ...ALSO_UNKNOWN]) {
      expect(text(namedSpan(token, TODAY)), JSON.stringify(token)).to.equal("2026-07-11..2026-08-09");
      expect(namedSpan(token, TODAY).token).to.equal("30d");
    }
  });

  it("names the resolved span", () => {
    for (const [token, named] of Object.entries({
      "9999d": "400d",
      "0d": "1d",
      yoy: "365d",
      year: "365d",
      Month: "month",
      "2026-q3": "2026-Q3",
      " 2026-07 ": "2026-07",
    }))
      expect(namedSpan(token, TODAY).token, token).to.equal(named);
  });

  it("compares 29 February with 28 February of the year before", () => {
    expect(text(comparedSpan({ from: "2028-02-29", to: "2028-03-31" }, "year"))).to.equal("2027-02-28..2027-03-31");
    expect(text(comparedSpan({ from: "2028-02-01", to: "2028-02-29" }, "year"))).to.equal("2027-02-01..2027-02-28");
    expect(text(comparedSpan({ from: "2028-02-01", to: "2028-02-29" }, "previous"))).to.equal("2028-01-01..2028-01-31");
  });

  it("compares a span over a year with one that overlaps it", () => {
    expect(text(comparedSpan(namedSpan("400d", TODAY), "year"))).to.equal("2024-07-06..2025-08-09");
  });

  it("compares two whole months by their number of days", () => {
    expect(text(comparedSpan({ from: "2026-01-01", to: "2026-02-28" }, "previous"))).to.equal("2025-11-03..2025-12-31");
  });

  it("never leaves the calendar", () => {
    expect(text(comparedSpan({ from: "0001-01-05", to: "0001-01-20" }, "year"))).to.equal("0001-01-01..0001-01-01");
    expect(text(comparedSpan({ from: "0001-01-05", to: "0001-01-20" }, "previous"))).to.equal("0001-01-01..0001-01-04");
    expect(text(comparedSpan({ from: "0001-01-01", to: "0001-01-31" }, "previous"))).to.equal("0001-01-01..0001-01-01");
  });
});

describe("the stored comparison", () => {
  for (const [stored, mode] of [
    [["previous", "year"], "previous"],
    [[null, "previous"], "previous"],
    [[undefined, null], "year"],
    [["lunar", "previous"], "previous"],
    [["lunar", 7], "year"],
    [[], "year"],
  ] as [unknown[], Comparison][])
    it(`is ${mode} of ${JSON.stringify(stored)}`, () => expect(rememberedComparison(...stored)).to.equal(mode));
});

describe("requested spans of advertising", () => {
  for (const [what, query, span, flags] of [
    ["takes the period without dates", { period: "last_month" }, "2026-07-01..2026-07-31 31 last_month", []],
    ["is 30d without anything", {}, "2026-07-11..2026-08-09 30 30d", []],
    [
      "takes two dates over the period",
      { date_from: "2026-03-01", date_to: "2026-03-10", period: "90d" },
      "2026-03-01..2026-03-10 10 null",
      [],
    ],
    ["swaps reversed dates", { date_from: "2026-03-10", date_to: "2026-03-01" }, "2026-03-01..2026-03-10 10 null", ["swapped"]],
    [
      "keeps the last 400 days",
      { date_from: "2025-01-01", date_to: "2026-06-30" },
      "2025-05-27..2026-06-30 400 null",
      ["capped"],
    ],
    ["leaves 400 days alone", { date_from: "2025-05-27", date_to: "2026-06-30" }, "2025-05-27..2026-06-30 400 null", []],
    ["ignores one date alone", { date_from: "2026-03-01", period: "7d" }, "2026-08-03..2026-08-09 7 7d", []],
    ["ignores the other date alone", { date_to: "2026-03-01" }, "2026-07-11..2026-08-09 30 30d", []],
    ["tells of a span that reaches today", { date_from: TODAY, date_to: TODAY }, `${TODAY}..${TODAY} 1 null`, ["unfinished"]],
    ["tells of one beyond today", { period: "2026-09" }, "2026-09-01..2026-09-30 30 2026-09", ["unfinished"]],
    [
      "swaps, caps and tells at once",
      { date_from: "2026-08-10", date_to: "2025-01-01" },
      "2025-07-07..2026-08-10 400 null",
      ["swapped", "capped", "unfinished"],
    ],
    ["is done with yesterday", { date_from: "2026-08-09", date_to: "2026-08-09" }, "2026-08-09..2026-08-09 1 null", []],
  ] as [string, Parameters<typeof requestedSpan>[0], string, string[]][])
    it(what, () => {
      const { from, to, days, token, ...rest } = requestedSpan(query, TODAY);
      expect(`${from}..${to} ${days} ${token}`).to.equal(span);
      expect(
        Object.entries(rest)
          .filter(([, is]) => is)
          .map(([flag]) => flag),
      ).to.deep.equal(flags);
    });
});

/** A second implementation, which picks days out of a list and knows nothing of the arithmetic of the first. */
const DAYS: { date: string; year: number; month: number; day: number }[] = [];
for (const at = new Date("2021-06-01T00:00:00Z"); at.getUTCFullYear() < 2034; at.setUTCDate(at.getUTCDate() + 1))
  DAYS.push({
    date: at.toISOString().slice(0, 10),
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
  });
type Day = (typeof DAYS)[number];
const monthOf = ({ year, month }: Day) => `${year}-${month}`;
const quarterOf = ({ year, month }: Day) => `${year}-${Math.ceil(month / 3)}`;
const yearOf = ({ year }: Day) => `${year}`;
/** 1 June 2021 was a Tuesday. */
const weekOf = (day: Day) => `${Math.floor((PLACES.get(day)! + 1) / 7)}`;
const MONTHS = Map.groupBy(DAYS, monthOf);
const QUARTERS = Map.groupBy(DAYS, quarterOf);
const PLACES = new Map(DAYS.map((day, at) => [day, at]));
const YEARS = Map.groupBy(DAYS, yearOf);
const WEEKS = Map.groupBy(DAYS, weekOf);

function naive(token: string, at: number): Day[] {
  const today = DAYS[at]!;
  const trailing = /^(\d+)d$/.exec(token);
  if (trailing) return DAYS.slice(at - Math.min(400, Math.max(1, Number(trailing[1]))), at);
  const unitOf = (day: Day) => {
    if (token.includes("month")) return MONTHS.get(monthOf(day))!;
    if (token.includes("week")) return WEEKS.get(weekOf(day))!;
    return token.includes("quarter") ? QUARTERS.get(quarterOf(day))! : YEARS.get(yearOf(day))!;
  };
  const current = unitOf(today).filter((day) => day.date < today.date);
  if (!token.startsWith("last_") && current.length > 0) return current;
  return unitOf(DAYS[PLACES.get(unitOf(today)[0]!)! - 1]!);
}

function naiveNamed(all: Day[], at: number): Day[] {
  const begun = all.filter((day) => day.date < DAYS[at]!.date);
  return begun.length > 0 ? begun : all;
}

const ends = (days: Day[]) => `${days[0]!.date}..${days.at(-1)!.date}`;
const yearBack = ({ year, month, day }: Day) => {
  const text = `${year - 1}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
  return text.endsWith("-02-29") ? `${year - 1}-02-28` : text;
};
function naivePrevious(days: Day[]): string {
  const first = PLACES.get(days[0]!)!;
  const whole = MONTHS.get(monthOf(days[0]!))!;
  if (ends(whole) === ends(days)) return ends(MONTHS.get(monthOf(DAYS[first - 1]!))!);
  return ends(DAYS.slice(first - days.length, first));
}

describe("named spans of every day of 2024 to 2032", () => {
  const NEWER = ["week", "last_week", "ytd", "last_year"];
  const TOKENS = ["1d", "7d", "30d", "90d", "365d", "400d", "month", "last_month", "quarter", "last_quarter", ...NEWER];
  const first = DAYS.findIndex(({ date }) => date === "2024-01-01");
  const last = DAYS.findIndex(({ date }) => date === "2032-12-31");

  function agrees(token: string, at: number, days: Day[]): void {
    const span = namedSpan(token, DAYS[at]!.date);
    const where = `${token} on ${DAYS[at]!.date}`;
    expect(text(span), where).to.equal(ends(days));
    expect(text(comparedSpan(span, "year")), where).to.equal(`${yearBack(days[0]!)}..${yearBack(days.at(-1)!)}`);
    expect(text(comparedSpan(span, "previous")), where).to.equal(naivePrevious(days));
  }

  it("equals a second, naive implementation for every trailing and to-date token", function () {
    this.timeout(60_000);
    for (let at = first; at <= last; at += 1) for (const token of TOKENS) agrees(token, at, naive(token, at));
  });

  it("equals it for the calendar periods around every day", function () {
    this.timeout(60_000);
    for (let at = first; at <= last; at += 1) {
      const { year, month } = DAYS[at]!;
      const quarter = Math.ceil(month / 3);
      agrees(`${year}-${String(month).padStart(2, "0")}`, at, naiveNamed(MONTHS.get(`${year}-${month}`)!, at));
      agrees(`${year}-Q${quarter}`, at, naiveNamed(QUARTERS.get(`${year}-${quarter}`)!, at));
      agrees(`${year + 1}-01`, at, naiveNamed(MONTHS.get(`${year + 1}-1`)!, at));
      agrees(`${year - 1}-q4`, at, naiveNamed(QUARTERS.get(`${year - 1}-4`)!, at));
    }
  });
});

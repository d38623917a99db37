import { expect } from "chai";
import type { ReportSectionData } from "../../../core/declare/report-sections.ts";
import { daysInWords, reportTitle, spanInWords } from "../../../services/reporting/rendering/report-title.ts";
import { isComparable, isCompared } from "../../../services/reporting/rendering/section-comparison.ts";
import { isLong, piecesOf, settingOf } from "../../../services/reporting/rendering/table-setting.ts";

describe("the period of a report in words (workspace-reporting §1.6)", () => {
  const rows: [start: string, end: string, nl: string, en: string, title: string][] = [
    ["2026-10-01", "2026-10-31", "oktober 2026", "October 2026", "Report October 2026"],
    ["2026-07-01", "2026-09-30", "derde kwartaal 2026", "Q3 2026", "Report Q3 2026"],
    ["2026-10-15", "2026-10-15", "15 oktober 2026", "15 October 2026", "Report 15 October 2026"],
    [
      "2026-10-01",
      "2026-10-15",
      "1 oktober 2026 – 15 oktober 2026",
      "1 October 2026 – 15 October 2026",
      "Report 1 October 2026 – 15 October 2026",
    ],
  ];
  for (const [start, end, nl, en, title] of rows)
    it(`from ${start} to ${end}: ${nl}`, () => {
      const span = { start, end };
      expect([spanInWords("nl", span), spanInWords("en", span)]).to.deep.equal([nl, en]);
      expect([reportTitle("nl", "client", span), reportTitle("en", "client", span)]).to.deep.equal([`Rapportage ${nl}`, title]);
    });

  it("is one date for one day", () => {
    expect(daysInWords("en", { start: "2026-02-01", end: "2026-02-01" })).to.equal("1 February 2026");
    expect(daysInWords("en", { start: "2026-02-01", end: "2026-02-28" })).to.equal("1 February 2026 – 28 February 2026");
  });
});

describe("the comparison of a section (workspace-reporting §1.6)", () => {
  const total = (before: number | null) => ({ key: "a", label: { nl: "a", en: "a" }, kind: "count" as const, value: 1, before });
  const series = (kind: "line" | "share", before: number | null) => ({
    kind,
    label: { nl: "a", en: "a" },
    valueKind: "count" as const,
    points: [{ key: "1", value: 1, before }],
  });
  const rows: [what: string, data: ReportSectionData, comparable: boolean, compared: boolean][] = [
    ["a figure with an earlier one", { totals: [total(2)] }, true, true],
    ["a figure without", { totals: [total(null)] }, true, false],
    ["a figure of a website with an earlier one", { totals: [], parts: [{ name: "a", totals: [total(0)] }] }, true, true],
    ["a line with an earlier one", { totals: [total(null)], series: series("line", 0) }, true, true],
    ["shares alone", { totals: [], series: series("share", null) }, false, false],
    ["a list alone", { totals: [] }, false, false],
  ];
  for (const [what, data, comparable, compared] of rows)
    it(`of ${what}`, () => {
      expect([isComparable(data), isCompared(data)]).to.deep.equal([comparable, compared]);
    });
});

describe("the columns of a printed table (workspace-reporting §1.6)", () => {
  it("break a long word after what joins it, and no other", () => {
    expect(piecesOf("https://shop.example/brood/zuurdesem?van=1")).to.deep.equal([
      "https://",
      "shop.example/",
      "brood/",
      "zuurdesem?",
      "van=",
      "1",
    ]);
    expect(piecesOf("search-engine")).to.deep.equal(["search-engine"]);
    expect([isLong("bread and butter pudding with cream"), isLong("x".repeat(23)), isLong("a ".repeat(40))]).to.deep.equal([
      false,
      true,
      false,
    ]);
  });

  it("are set closer where they need more than the page is wide", () => {
    const table = (columns: number, text: string, numeric: boolean) =>
      settingOf(
        Array.from({ length: columns }, () => ({ label: "Visits" })),
        [Array.from({ length: columns }, () => ({ text, numeric }))],
      );
    expect([
      table(4, "portret", false),
      table(8, "bedrijfsfotografie", false),
      table(9, "bedrijfsfotografie", false),
    ]).to.deep.equal(["normal", "crowded", "crowded"]);
    expect([table(6, "bedrijfsfotografie", false), table(3, "€ 1.234.567,89", true)]).to.deep.equal(["dense", "normal"]);
    // A long word breaks, so that it needs no more than others.
    expect(table(4, "x".repeat(300), false)).to.equal(table(4, "x".repeat(22), false));
  });
});

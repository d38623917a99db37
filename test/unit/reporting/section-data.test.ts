import { expect } from "chai";
import type { ReportSectionData } from "../../../core/declare/report-sections.ts";
import { hasData } from "../../../services/reporting/gathering/gather.ts";

const label = { nl: "Bezoeken", en: "Visits" };
const total = (value: number | null, before: number | null) => ({
  key: "sessions",
  label,
  kind: "count" as const,
  value,
  before,
});
const table = (...rows: (string | number | null)[][]) => ({
  columns: [
    { key: "name", label, kind: "text" as const },
    { key: "sessions", label, kind: "count" as const, adds: true },
  ],
  rows,
});
const line = (value: number | null, before: number | null) => ({
  kind: "line" as const,
  label,
  valueKind: "count" as const,
  points: [{ key: "1-1", value, before }],
});

describe("whether a section has data (workspace-reporting §1.5, §1.6)", () => {
  const cases: readonly (readonly [what: string, data: ReportSectionData, expected: boolean])[] = [
    ["nothing", { totals: [] }, false],
    ["a figure without a value", { totals: [total(null, 5)] }, false],
    ["a zero that was zero before", { totals: [total(0, 0)] }, false],
    ["a zero without an earlier figure", { totals: [total(0, null)] }, false],
    ["a figure", { totals: [total(0, 0), total(3, null)] }, true],
    ["a figure that fell to zero", { totals: [total(0, 5)] }, true],
    ["a negative figure", { totals: [total(-2, null)] }, true],
    ["an empty table", { totals: [], table: table() }, false],
    ["a table of zeros", { totals: [total(0, 0)], table: table(["google", 0], ["bing", 0]) }, false],
    ["a table with a number", { totals: [], table: table(["google", 0], ["bing", 1]) }, true],
    ["a table of texts", { totals: [], table: table(["google", null]) }, true],
    ["a line of zeros", { totals: [total(0, 0)], series: line(0, 0) }, false],
    ["a line of gaps", { totals: [], series: line(null, null) }, false],
    ["a line with a number", { totals: [], series: line(1, null) }, true],
    ["a line that fell to zero", { totals: [], series: line(0, 1) }, true],
    ["parts of zeros", { totals: [], parts: [{ name: "a", totals: [total(0, 0)], table: table(["google", 0]) }] }, false],
    ["a part with a figure", { totals: [], parts: [{ name: "a", totals: [total(1, 0)] }] }, true],
    ["a part with a row", { totals: [], parts: [{ name: "a", totals: [], table: table(["google", 1]) }] }, true],
  ];
  for (const [what, data, expected] of cases)
    it(`${what}: ${expected ? "yes" : "no"}`, () => {
      expect(hasData(data)).to.equal(expected);
    });
});

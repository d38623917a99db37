import { expect } from "chai";
import type { ReportSeries } from "../../../core/declare/report-sections.ts";
import { paletteOf } from "../../../mixins/documents/colours.ts";
import { chartOf } from "../../../mixins/drawing/chart.ts";
import { folded } from "../../../mixins/drawing/fold.ts";
import { changeOf, numberText, printedTotals, valueText } from "../../../mixins/drawing/numbers.ts";
import { type ChartLook, shortened } from "../../../mixins/drawing/svg.ts";

describe("numbers by locale (workspace-reporting §1.6)", () => {
  const rows: [value: number, places: number, nl: string, en: string][] = [
    [1234.5, 1, "1.234,5", "1,234.5"],
    [1234.56, 2, "1.234,56", "1,234.56"],
    [1_234_567, 0, "1.234.567", "1,234,567"],
    [999, 0, "999", "999"],
    [0, 1, "0,0", "0.0"],
    [0.05, 1, "0,1", "0.1"],
    [2.675, 2, "2,68", "2.68"],
    [-1234.5, 1, "−1.234,5", "−1,234.5"],
    [-0.04, 1, "0,0", "0.0"],
    [1e21, 0, "1.000.000.000.000.000.000.000", "1,000,000,000,000,000,000,000"],
  ];
  for (const [value, places, nl, en] of rows)
    it(`writes ${value} with ${places} places as ${nl} and ${en}`, () => {
      expect([numberText(value, "nl", places), numberText(value, "en", places)]).to.deep.equal([nl, en]);
    });

  const values: [value: string | number | null, kind: Parameters<typeof valueText>[1], nl: string, currency?: string][] = [
    [1200, "count", "1.200"],
    [12.5, "count", "13"],
    [20.97, "count", "21"],
    [0.4, "count", "0"],
    [8.44, "decimal", "8,4"],
    [12.34, "percent", "12,3%"],
    [1234.5, "money", "€ 1.234,50", "EUR"],
    [1234.5, "money", "JPY 1.235", "JPY"],
    [1234.5, "money", "CHF 1.234,50", "CHF"],
    [1234.5, "money", "1.234,50"],
    [96, "seconds", "1:36"],
    [3725.4, "seconds", "1:02:05"],
    [59.6, "seconds", "1:00"],
    ["Direct", "text", "Direct"],
    ["", "text", "–"],
    [null, "count", "–"],
    [Number.NaN, "count", "–"],
    [Number.POSITIVE_INFINITY, "percent", "–"],
  ];
  for (const [value, kind, expected, currency] of values)
    it(`prints ${value} as ${kind}${currency ? ` in ${currency}` : ""}: ${expected}`, () => {
      expect(valueText(value, kind, { locale: "nl", currency })).to.equal(expected);
    });
});

describe("changes (workspace-reporting §1.6)", () => {
  const rows: [value: number | null, before: number | null, expected: string | null, direction?: string][] = [
    [110, 100, "+10,0%", "up"],
    [90, 100, "−10,0%", "down"],
    [100, 100, "ongewijzigd", "flat"],
    [100.04, 100, "ongewijzigd", "flat"],
    [1_000_001, 1_000_000, "0,0%", "flat"],
    [1099, 100, "+999,0%", "up"],
    [1100, 100, "11,0×", "up"],
    [58_240, 5120, "11,4×", "up"],
    [-1100, 100, "−1.200,0%", "down"],
    [5, -5, "+200,0%", "up"],
    [0, 100, "−100,0%", "down"],
    [100, 0, null],
    [100, null, null],
    [null, 100, null],
    [Number.NaN, 100, null],
  ];
  for (const [value, before, expected, direction] of rows)
    it(`from ${before} to ${value} is ${expected}`, () => {
      const change = changeOf({ value, before, kind: "decimal" }, "nl");
      expect(change?.text ?? null).to.equal(expected);
      expect(change?.direction).to.equal(direction);
    });

  it("are none where both values print alike, and have no direction", () => {
    const flat = { text: "ongewijzigd", direction: "flat", meaning: "neutral" };
    expect(changeOf({ value: 58.04, before: 57.98, kind: "percent" }, "nl")).to.deep.equal(flat);
    expect(changeOf({ value: 21.04, before: 20.97, kind: "count" }, "nl")).to.deep.equal(flat);
    expect(changeOf({ value: 0.6484, before: 0.646, kind: "money" }, "nl")).to.deep.equal(flat);
    expect(changeOf({ value: 58.06, before: 57.9, kind: "percent" }, "nl")).to.include({ text: "+0,3%", direction: "up" });
  });

  it("mean the opposite where a falling value is better", () => {
    const meaning = (value: number, lowerIsBetter: boolean) =>
      changeOf({ value, before: 10, kind: "count", lowerIsBetter }, "en")?.meaning;
    expect([meaning(12, false), meaning(8, false), meaning(12, true), meaning(8, true), meaning(10, true)]).to.deep.equal([
      "good",
      "bad",
      "bad",
      "good",
      "neutral",
    ]);
  });

  it("of a figure that is zero now and before are not printed, nor is the figure", () => {
    const totals = [
      { value: 0, before: 0 },
      { value: 0, before: 3 },
      { value: 0, before: null },
      { value: 2, before: 0 },
      { value: null, before: 3 },
    ];
    expect(printedTotals(totals)).to.deep.equal(totals.slice(1, 4));
  });
});

describe("the fold of a client's table (workspace-reporting §1.6)", () => {
  const columns = [
    { key: "name", label: { nl: "", en: "" }, kind: "text" as const },
    { key: "visits", label: { nl: "", en: "" }, kind: "count" as const, adds: true },
    { key: "position", label: { nl: "", en: "" }, kind: "decimal" as const },
    { key: "orders", label: { nl: "", en: "" }, kind: "count" as const, adds: true },
  ];
  const table = (values: readonly (number | null)[]) => ({
    columns,
    rows: values.map((value, index) => [`r${index}`, value, 1.5, 1]),
  });
  const shown = (values: readonly (number | null)[]) =>
    folded(table(values), "Overig").rows.map(([name, visits]) => `${name} ${visits}`);
  const many = (count: number, value: number) => Array.from({ length: count }, () => value);

  const cases: [what: string, values: (number | null)[], kept: number, other: number | null][] = [
    ["keeps everything that is large enough", [50, 40, 30, 20], 4, null],
    ["folds values below 2", [50, 40, 30, 1, 1], 3, 2],
    ["folds shares below 0.5 %", [1000, 900, 800, 13, 12], 3, 25],
    ["keeps a share of exactly 0.5 %", [596, 200, 199, 5], 4, null],
    ["keeps 3 at least", [1, 1, 1, 1, 1], 3, 2],
    ["keeps 12 at most", many(20, 10), 12, 80],
    ["folds nothing of 3 rows", [1, 1, 1], 3, null],
    ["counts a missing value as nothing", [50, 40, 30, null, 20], 4, 0],
    ["has no rows to fold in an empty table", [], 0, null],
  ];
  for (const [what, values, kept, other] of cases)
    it(what, () => {
      const rows = shown(values);
      const isFolded = rows.at(-1)?.startsWith("Overig") ?? false;
      expect(isFolded ? rows.length - 1 : rows.length).to.equal(kept);
      expect(isFolded ? rows.at(-1) : null).to.equal(other === null ? null : `Overig ${other}`);
    });

  it("adds up the columns that add up, and has no value in the others", () => {
    expect(folded(table([50, 40, 30, 1, 1, 1]), "Other").rows.at(-1)).to.deep.equal(["Other", 3, null, 3]);
  });

  it("loses nothing: the sums stay", () => {
    const values = [900, 4, 3, 2, 1, 1, 77, 8, ...many(30, 5)];
    const sum = (rows: readonly (readonly unknown[])[]) => rows.reduce((total, row) => total + (row[1] as number), 0);
    expect(sum(folded(table(values), "Other").rows)).to.equal(sum(table(values).rows));
  });

  it("leaves a table without a column that adds up as it is", () => {
    const plain = { columns: columns.slice(0, 1), rows: many(30, 0).map((_, index) => [`r${index}`]) };
    expect(folded(plain, "Other")).to.deep.equal(plain);
  });
});

describe("charts as SVG text", () => {
  const look: ChartLook = {
    id: "marketing.traffic",
    title: 'Visits & "more" <b>',
    locale: "nl",
    palette: paletteOf("#1f4b5f"),
    words: { now: "Nu", before: "Eerder", other: "Overig" },
  };
  const series = (kind: ReportSeries["kind"], points: ReportSeries["points"]): ReportSeries => ({
    kind,
    label: { nl: "Bezoeken", en: "Visits" },
    valueKind: "count",
    points,
  });
  const point = (key: string, value: number | null, before: number | null = null) => ({ key, value, before });
  const KINDS = ["line", "bars", "share"] as const;
  const full = [point("jan", 1200, 1100), point("feb <i>", 1400, 1500), point("مارس 🌷", 900, 0)];

  for (const kind of KINDS) {
    it(`${kind}: has an explicit size in pixels, a title and a text alternative (S29)`, () => {
      const { svg, width, height, alternative } = chartOf(series(kind, full), look);
      expect(svg).to.include(`width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img"`);
      expect(height).to.be.greaterThan(40);
      expect(alternative).to.equal("jan: 1.200 (eerder 1.100); feb <i>: 1.400 (eerder 1.500); مارس 🌷: 900 (eerder 0)");
      expect(svg).to.match(/<title id="chart-marketing-traffic-title">Visits &#38; &#34;more&#34; &#60;b&#62;<\/title>/);
      expect(svg).to.match(/<desc id="chart-marketing-traffic-desc">jan: 1\.200/);
      expect(svg).not.to.match(/="\d+%"/);
    });

    it(`${kind}: runs nothing, loads nothing, and escapes every text`, () => {
      const { svg } = chartOf(series(kind, full), look);
      for (const gone of ["<script", "<i>", "<b>", "href", "url(", "@import", "<style", "<image", "<foreignObject", "onload"])
        expect(svg, gone).not.to.include(gone);
      expect(svg).not.to.include("NaN");
      expect(svg).not.to.include("Infinity");
      // Tags are balanced, and there is no bare ampersand.
      expect(svg.match(/&(?!#\d+;)/g)).to.equal(null);
    });

    it(`${kind}: draws the same figures as the same bytes`, () => {
      expect(chartOf(series(kind, full), look)).to.deep.equal(chartOf(series(kind, full), look));
    });

    it(`${kind}: throws where there is nothing to draw, so that the run fails`, () => {
      for (const points of [[], [point("jan", null)], [point("jan", Number.NaN)]])
        expect(() => chartOf(series(kind, points), look)).to.throw("nothing to draw");
    });

    it(`${kind}: has no part outside of its width`, () => {
      const { svg, width } = chartOf(
        series(kind, [point("a", 5, 9), point("b".repeat(200), 1e9, 1), point("c", 0.001, 1e9)]),
        look,
      );
      for (const [, x = "", w = "0"] of svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g))
        expect(Number(x) + Number(w)).to.be.at.most(width + 0.01);
    });
  }

  it("line: draws the values before as a dashed line with a legend, and neither without any", () => {
    const both = chartOf(series("line", full), look).svg;
    expect(both.match(/<path /g)).to.have.length(2);
    expect(both).to.include("stroke-dasharray").and.include(">Nu<").and.include(">Eerder<");
    const alone = chartOf(series("line", [point("jan", 1), point("feb", 2)]), look).svg;
    expect(alone.match(/<path /g)).to.have.length(1);
    expect(alone).not.to.include("stroke-dasharray");
  });

  it("line: leaves a gap where a value is missing, and shows a lone point", () => {
    const { svg } = chartOf(
      series("line", [point("a", 1), point("b", 2), point("c", null), point("d", 3), point("e", null)]),
      look,
    );
    expect(/<path d="([^"]*)" fill="none" stroke="#/.exec(svg)?.[1]?.match(/M/g)).to.have.length(2);
    expect(svg.match(/<circle /g)).to.have.length(1);
  });

  it("line: has at most 7 labels below, numbers by locale at the side, and a line on the ground for zeros alone", () => {
    const days = Array.from({ length: 90 }, (_, index) => point(`d${index}`, index * 100));
    const { svg } = chartOf(series("line", days), look);
    expect(svg.match(/>d\d+</g)?.length).to.be.within(2, 7);
    expect(svg).to.include(">2.000<");
    expect(chartOf(series("line", [point("a", 0), point("b", 0)]), look).svg).to.include("<path d=");
  });

  it("line: has whole numbers on an axis of counts", () => {
    const ticks = (value: number, valueKind: ReportSeries["valueKind"]) => {
      const { svg } = chartOf({ ...series("line", [point("a", value), point("b", 0)]), valueKind }, look);
      return [...svg.matchAll(/<text x="56"[^>]*>([^<]*)</g)].map(([, text]) => text);
    };
    expect(ticks(1, "count")).to.deep.equal(["0", "1"]);
    expect(ticks(3, "count")).to.deep.equal(["0", "1", "2", "3"]);
    expect(ticks(0.4, "decimal")).to.deep.equal(["0,0", "0,1", "0,2", "0,3", "0,4"]);
  });

  it("line: shows the one day of a report and of the period before as points above its name", () => {
    const { svg } = chartOf(series("line", [point("15 okt", 6, 4)]), look);
    expect(svg.match(/<circle /g)).to.have.length(2);
    expect(svg).to.match(/text-anchor="middle">15 okt</);
  });

  it("share: names every part with its percentage, and parts differ without colour", () => {
    const { svg } = chartOf(series("share", [point("a", 50), point("b", 30), point("c", 20)]), look);
    for (const percentage of ["50,0%", "30,0%", "20,0%"]) expect(svg).to.include(percentage);
    expect(new Set([...svg.matchAll(/fill-opacity="([\d.]+)"/g)].map(([, opacity]) => opacity)).size).to.equal(3);
    expect(() => chartOf(series("share", [point("a", 0)]), look)).to.throw("nothing to draw");
  });

  it("share: has no two parts with the same fill, for as many parts as it names", () => {
    const parts = (many: number) => Array.from({ length: many }, (_, index) => point(`part ${index}`, 10));
    for (const many of [7, 13, 26, 200]) {
      const drawn = Math.min(many, 26);
      const { svg } = chartOf(series("share", parts(many)), look);
      const areas = [
        ...svg.matchAll(/<rect [^>]*? height="(\d+)"[^>]* fill-opacity="([\d.]+)"[^>]*>(?:<path [^>]*? d="([^"]*)")?/g),
      ];
      for (const height of ["30", "12"]) {
        const fills = areas.flatMap(([, tall, opacity, hatch]) => (tall === height ? [`${opacity} ${hatch ?? ""}`] : []));
        // The last of 200 parts is as wide as the others together, so only the legend compares one size.
        if (many <= 26 || height === "12")
          expect([many, height, fills.length, new Set(fills).size]).to.deep.equal([many, height, drawn, drawn]);
      }
    }
  });

  it("share: adds up the parts after the 25th in one with the name of the rest", () => {
    const many = Array.from({ length: 40 }, (_, index) => point(`part ${index}`, 10));
    const { svg, alternative } = chartOf(series("share", many), look);
    expect(svg).to.include(">part 24<").and.include(">Overig<").and.include("37,5%").and.not.include(">part 25<");
    expect(alternative).to.include("part 39: 10");
  });

  it("share: draws no hatching outside of its part", () => {
    const many = Array.from({ length: 26 }, (_, index) => point(`part ${index}`, index % 5 === 0 ? 0.001 : 10));
    const { svg } = chartOf(series("share", many), look);
    const hatchings = [...svg.matchAll(/width="([\d.]+)" height="([\d.]+)"[^>]*\/><path transform="[^"]*" d="([^"]*)"/g)];
    expect(hatchings).to.have.length.greaterThan(20);
    for (const [, width, height, path = ""] of hatchings)
      for (const [, x, y] of path.matchAll(/[ML]([-\d.]+) ([-\d.]+)/g)) {
        expect(Number(x)).to.be.within(0, Number(width) + 0.01);
        expect(Number(y)).to.be.within(0, Number(height) + 0.01);
      }
  });

  it("cut long labels between characters as readers see them, and drop what XML has no place for", () => {
    expect(shortened("x".repeat(40))).to.equal(`${"x".repeat(33)}…`);
    const families = "👨‍👩‍👧".repeat(40);
    expect(shortened(families)).to.equal(`${"👨‍👩‍👧".repeat(33)}…`);
    const { svg } = chartOf(series("bars", [point("a\u0000b\ud800", 1)]), look);
    expect(svg).to.include("a b\ufffd").and.not.include("\u0000");
  });
});

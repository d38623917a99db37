import { expect } from "chai";
import { addDays, daysInclusive, eachDay } from "../../../core/calendar/dates.ts";
import { halves, nextChunk, nightlySpans } from "../../../integrations/advertising/mirror/spans.ts";
import { changesBetween } from "../../../integrations/advertising/mirror/trend.ts";
import { figuresOf, sumsOf } from "../../../integrations/advertising/reads/figures.ts";

describe("the spans of the mirror (marketing-ads §3.11)", () => {
  it("are 7 days that end yesterday, and 90 once a week", () => {
    for (const synced of [null, "2026-03-07", "2026-03-08"]) {
      expect(nightlySpans("2026-03-08", false, synced)).to.deep.equal([{ from: "2026-03-01", to: "2026-03-07" }]);
      expect(nightlySpans("2026-03-08", true, synced)).to.deep.equal([{ from: "2025-12-08", to: "2026-03-07" }]);
    }
  });

  it("reach back to the last run where nights were missed, at most 800 days, without a gap or a double day (S8)", () => {
    expect(nightlySpans("2026-03-08", false, "2026-02-16")).to.deep.equal([{ from: "2026-02-10", to: "2026-03-07" }]);
    for (const [synced, days] of [
      ["2025-11-30", 104],
      ["2023-01-01", 800],
    ] as const) {
      const spans = nightlySpans("2026-03-08", false, synced);
      expect(spans.flatMap(({ from, to }) => eachDay(from, to))).to.deep.equal(
        eachDay(addDays("2026-03-08", -days), "2026-03-07"),
      );
      for (const { from, to } of spans) expect(daysInclusive(from, to)).to.be.at.most(90);
    }
  });

  it("have two halves, without a gap or a double day", () => {
    expect(halves({ from: "2026-02-28", to: "2026-03-01" })).to.deep.equal([
      { from: "2026-02-28", to: "2026-02-28" },
      { from: "2026-03-01", to: "2026-03-01" },
    ]);
    expect(halves({ from: "2026-03-01", to: "2026-03-07" })).to.deep.equal([
      { from: "2026-03-01", to: "2026-03-03" },
      { from: "2026-03-04", to: "2026-03-07" },
    ]);
  });

  it("of a backfill are 30 days, newest first, 800 in all, without a gap or a double day", () => {
    for (const today of ["2024-03-01", "2026-03-29", "2026-10-25", "2028-02-29"]) {
      const days: string[] = [];
      let from: string | null = null;
      for (let chunk = nextChunk(today, from); chunk; chunk = nextChunk(today, from)) {
        expect(daysInclusive(chunk.from, chunk.to)).to.be.at.most(30);
        days.unshift(...eachDay(chunk.from, chunk.to));
        from = chunk.from;
      }
      expect(days, today).to.deep.equal(eachDay(addDays(today, -800), addDays(today, -1)));
    }
  });

  it("go on before the first stored day, also on another day than the run began", () => {
    expect(nextChunk("2026-08-10", "2026-07-11")).to.deep.equal({ from: "2026-06-11", to: "2026-07-10" });
    expect(nextChunk("2026-08-11", addDays("2026-08-11", -800))).to.equal(null);
  });
});

describe("how far metrics moved (marketing-ads §3.6)", () => {
  const figures = (clicks: number, costMicros: string, conversions = 0) =>
    figuresOf(sumsOf({ impressions: String(clicks * 10), clicks: String(clicks), costMicros, conversions }));

  it("has a fraction of 4 decimals, none from 0, and omits metrics without a value in one of the spans", () => {
    const change = changesBetween(figures(3, "3000000"), figures(4, "1000000", 2));
    expect(change["clicks"]).to.deep.equal({ from: 3, to: 4, absolute: 1, relative: 0.3333 });
    expect(change["cost"]).to.deep.equal({ from: 3, to: 1, absolute: -2, relative: -0.6667 });
    expect(change["conversions"]).to.deep.equal({ from: 0, to: 2, absolute: 2, relative: null });
    expect(change).not.to.have.property("cost_per_conversion");
    expect(changesBetween(figures(0, "0"), figures(1, "1000000"))).not.to.have.property("ctr");
  });
});

import { expect } from "chai";
import { keywordRows, movements, type QueryRow } from "../../../integrations/marketing/sources/gsc/gsc-rankings.ts";

const row = (query: string, position: number, impressions = 100, clicks = 5): QueryRow => ({
  query,
  position,
  impressions,
  clicks,
});

describe("movers of Search Console (marketing-ads §2.9)", () => {
  it("are queries of both spans, by the largest move, a gain being positive", () => {
    const now = [row("up", 3.04), row("down", 9.5), row("same", 4), row("new", 1)];
    const then = [row("up", 8.2), row("down", 2), row("same", 4), row("gone", 5)];
    expect(movements(now, then)).to.deep.equal([
      { query: "down", position: 9.5, position_change: -7.5, clicks: 5 },
      { query: "up", position: 3.04, position_change: 5.2, clicks: 5 },
      { query: "same", position: 4, position_change: 0, clicks: 5 },
    ]);
  });

  it("are ten at most; equal moves are ordered by clicks, then by name", () => {
    const now = Array.from({ length: 14 }, (_, n) => row(`q${String(n).padStart(2, "0")}`, 10, 100, n < 2 ? 50 : 5));
    const then = now.map(({ query }) => row(query, 12));
    expect(movements(now, then).map(({ query }) => query)).to.deep.equal([
      "q00",
      "q01",
      "q02",
      "q03",
      "q04",
      "q05",
      "q06",
      "q07",
      "q08",
      "q09",
    ]);
  });
});

describe("keywords of a report from Search Console (marketing-ads §2.9)", () => {
  const rule = { limit: 25, min_impressions: 10, max_position: 25 };
  const brief = (now: QueryRow[], then: QueryRow[], more = {}) =>
    keywordRows(now, then, { ...rule, ...more }).map(({ keyword, begin, end, change, status }) => [
      keyword,
      begin,
      end,
      change,
      status,
    ]);

  it("round positions and distinguish new, improved, declined and stable ones", () => {
    const now = [row("new", 7.4), row("better", 2.6), row("worse", 12.5), row("stable", 4.4)];
    const then = [row("better", 5.5), row("worse", 9.4), row("stable", 3.6), row("gone", 1)];
    expect(brief(now, then)).to.deep.equal([
      ["better", 6, 3, 3, "improved"],
      ["stable", 4, 4, 0, "stable"],
      ["new", 0, 7, 0, "new"],
      ["worse", 9, 13, -4, "declined"],
    ]);
  });

  it("omit keywords shown too seldom, or not at all", () => {
    const now = [row("rare", 3, 9), row("enough", 3, 10), row("nowhere", 0, 500)];
    expect(brief(now, [])).to.deep.equal([["enough", 0, 3, 0, "new"]]);
    expect(brief([row("enough", 3)], [row("enough", 8, 9)])).to.deep.equal([["enough", 0, 3, 0, "new"]]);
  });

  it("keep those of which either end is good enough", () => {
    const now = [row("fell", 40), row("rose", 20), row("far", 41), row("edge", 25.4), row("over", 25.5)];
    const then = [row("fell", 20), row("rose", 60), row("far", 50)];
    expect(brief(now, then).map(([keyword]) => keyword)).to.deep.equal(["rose", "edge", "fell"]);
  });

  it("put the best position first, then the most impressions, all of them", () => {
    const now = [row("b", 2, 50), row("a", 2, 500), row("c", 1, 20), row("d", 3)];
    expect(brief(now, [], { limit: 3 }).map(([keyword]) => keyword)).to.deep.equal(["c", "a", "b", "d"]);
  });
});

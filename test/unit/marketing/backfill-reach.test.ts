import { expect } from "chai";
import { addDays, eachDay } from "../../../core/calendar/dates.ts";
import { type Comparison, comparedSpan, namedSpan } from "../../../core/calendar/named-spans.ts";
import { sources } from "../../../integrations/marketing/sources/registry.ts";
import { type MarketingSource, reachOf } from "../../../integrations/marketing/sources/source.ts";

const LINKED = eachDay("2027-01-01", "2028-12-31");
const reach = (source: string) => reachOf(sources.get(source) as MarketingSource);
/** The days of linking on which a backfill does not contain the whole compared span. */
const incomplete = (source: string, token: string, mode: Comparison): string[] =>
  LINKED.filter((today) => comparedSpan(namedSpan(token, today), mode).from < addDays(today, -reach(source)));

describe("the reach of a backfill (marketing-ads §2.10)", () => {
  it("is 800 days, and the 480 of Search Console", () => {
    expect(["ga4", "gads", "seranking", "gsc"].map(reach)).to.deep.equal([800, 800, 800, 480]);
  });

  it("contains both spans of every window and running period on the day of linking", () => {
    for (const token of ["7d", "30d", "90d", "365d", "400d", "month", "last_month", "quarter", "last_quarter"])
      for (const mode of ["year", "previous"] as const)
        expect(incomplete("ga4", token, mode), `${token} ${mode}`).to.deep.equal([]);
  });

  it("contains those of a month against the year before of Search Console, and not those of a year", () => {
    for (const token of ["7d", "30d", "90d", "month", "last_month", "quarter"])
      expect(incomplete("gsc", token, "year"), token).to.deep.equal([]);
    for (const token of ["365d", "400d"]) expect(incomplete("gsc", token, "year"), token).to.deep.equal(LINKED);
  });
});

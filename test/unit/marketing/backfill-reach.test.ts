import { expect } from "chai";
import { addDays, addMonths, eachDay, type IsoDate } from "../../../core/calendar/dates.ts";
import { type Comparison, comparedSpan, namedSpan } from "../../../core/calendar/named-spans.ts";
import { BACKFILL_DAYS } from "../../../integrations/marketing/jobs/reading.ts";

const LINKED = eachDay("2027-01-01", "2028-12-31");
/** Whether a backfill of that day contains the whole compared span of a read `months` later. */
const isComplete = (token: string, mode: Comparison, linked: IsoDate, months: number): boolean =>
  comparedSpan(namedSpan(token, addMonths(linked, months)), mode).from >= addDays(linked, -BACKFILL_DAYS);

describe("the reach of a backfill of 400 days (marketing-ads §2.10)", () => {
  for (const [token, months] of [
    ["7d", 0],
    ["30d", 0],
    ["month", 0],
    ["last_month", 1],
    ["90d", 2],
    ["quarter", 2],
    ["last_quarter", 5],
    ["365d", 11],
  ] as const)
    it(`completes ${token} against the year before ${months} months after linking, and not always earlier`, () => {
      expect(LINKED.filter((day) => !isComplete(token, "year", day, months))).to.deep.equal([]);
      if (months > 0) expect(LINKED.every((day) => isComplete(token, "year", day, months - 1))).to.equal(false);
    });

  it("contains the span before of all but a year on the day of linking", () => {
    for (const token of ["7d", "30d", "90d", "month", "last_month", "quarter", "last_quarter"])
      expect(
        LINKED.filter((day) => !isComplete(token, "previous", day, 0)),
        token,
      ).to.deep.equal([]);
  });
});

import { expect } from "chai";
import { effectiveHourlyRate } from "../../../core/values/hourly-rate.ts";

describe("hourly rate", () => {
  it("an own rate of 0 is a rate, not a gap", () => {
    expect([effectiveHourlyRate("0", "75"), effectiveHourlyRate(0, 75)]).to.deep.equal(["0.00", "0.00"]);
    expect(effectiveHourlyRate(null, "75.5")).to.equal("75.50");
    expect(effectiveHourlyRate("60", null)).to.equal("60.00");
    expect(effectiveHourlyRate(null, null)).to.equal(null);
  });
});

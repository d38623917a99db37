import { expect } from "chai";
import { zipfShares } from "../../../operator/seed/sizes.ts";

describe("the sizes of seeded organisations", () => {
  for (const [organisations, rows] of [
    [1, 1],
    [1, 500],
    [20, 500],
    [1000, 1000],
    [1000, 1_000_000],
  ] as const)
    it(`share ${rows} rows among ${organisations}`, () => {
      const shares = zipfShares(organisations, rows);
      expect(shares.length).to.equal(organisations);
      expect(shares.reduce((sum, share) => sum + share, 0)).to.equal(rows);
      expect(Math.min(...shares)).to.be.at.least(1);
      expect(shares.toSorted((one, other) => other - one)).to.deep.equal(shares);
    });

  it("follow Zipf's law", () => {
    const shares = zipfShares(1000, 1_000_000);
    expect([shares[0], shares[1], shares[9], shares[999]]).to.deep.equal([133_460, 66_730, 13_347, 134]);
  });

  it("need a row for each", () => {
    expect(() => zipfShares(2, 1)).to.throw(RangeError);
    expect(() => zipfShares(0, 1)).to.throw(RangeError);
  });
});

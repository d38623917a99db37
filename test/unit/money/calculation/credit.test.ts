import { expect } from "chai";
import fc from "fast-check";
import { exceedsSource } from "../../../../services/money/calculation/credit.ts";
import { CASES } from "./support.ts";

describe("credit notes beyond their source", () => {
  const rows: [source: string, notes: string[], exceeds: boolean][] = [
    ["121.00", ["-121.00"], false],
    ["121.00", ["-121.01"], true],
    ["121.00", ["-100.00", "-21.00"], false],
    ["121.00", ["-100.00", "-21.01"], true],
    ["121.00", ["10.00"], true],
    ["121.00", ["0.00"], false],
    ["-50.00", ["50.00"], false],
    ["-50.00", ["50.01"], true],
    ["-50.00", ["-1.00"], true],
    ["0.00", ["0.00"], false],
    ["0.00", ["-1.00"], true],
  ];
  for (const [source, notes, exceeds] of rows)
    it(`${notes.join(" and ")} on ${source}: ${exceeds ? "refused" : "fine"}`, () => {
      expect(exceedsSource(source, notes)).to.equal(exceeds);
    });

  it("are the same with all signs turned", () => {
    const amount = fc.integer({ min: -1000, max: 1000 });
    fc.assert(
      fc.property(amount, fc.array(amount, { minLength: 1, maxLength: 4 }), (source, notes) => {
        expect(
          exceedsSource(
            -source,
            notes.map((note) => -note),
          ),
        ).to.equal(exceedsSource(source, notes));
      }),
      CASES,
    );
  });
});

import { expect } from "chai";
import { etagOf, matches } from "../../../core/http/etag.ts";

describe("If-Match (RFC 9110 §13.1.1)", () => {
  const table: [string, boolean][] = [
    ['"7"', true],
    ['"6", "7"', true],
    ['"6","7"', true],
    [' "7" ', true],
    ["*", true],
    [" * ", true],
    ['W/"7"', false],
    ['W/"6", "7"', true],
    ['"6"', false],
    ['"77"', false],
    ["7", false],
    ["'7'", false],
    ['"7', false],
    ["", false],
    [",", false],
  ];
  for (const [value, wanted] of table)
    it(`${value || "nothing"} ${wanted ? "names" : "does not name"} version 7`, () => {
      expect(matches(value, 7)).to.equal(wanted);
    });

  it("compares with a strong tag: the version in quotes", () => {
    expect(etagOf(7)).to.equal('"7"');
  });
});

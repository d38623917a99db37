import { expect } from "chai";
import { partOf } from "../../support/run/part.ts";

describe("parts of a file", () => {
  const operations = [..."aaaaaaabbbbcccdd"].map((module, n) => ({ module, n }));
  const parts = (of: number) =>
    Array.from({ length: of }, (_, index) => partOf(operations, ({ module }) => module, { index, of }));

  it("hold every item exactly once", () => {
    for (const count of [1, 2, 3, 7]) expect(parts(count).flat()).to.have.members(operations);
  });

  it("keep a group together and weigh about the same", () => {
    const shown = parts(2).map((part) => [...new Set(part.map(({ module }) => module))].sort().join(""));
    expect(shown).to.deep.equal(["ad", "bc"]);
  });
});

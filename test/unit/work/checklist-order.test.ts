import { expect } from "chai";
import fc from "fast-check";
import { insertedAfter, reordered } from "../../../services/work/checklists/checklist-order.ts";
import { CASES, id, refused } from "./support.ts";

describe("checklist order", () => {
  const rows: [what: string, named: string, order: string][] = [
    ["all named", "c a d b", "c a d b"],
    ["some named: the rest follows in its own order", "c", "c a b d"],
    ["the last and the first", "d a", "d a b c"],
    ["the order it has", "a b c d", "a b c d"],
    ["capitals", "C", "c a b d"],
  ];
  for (const [what, named, order] of rows)
    it(what, () => {
      expect(reordered(["a", "b", "c", "d"], named.split(" "))).to.deep.equal(order.split(" "));
    });

  it("refuses a repeat, nothing at all, and an id of another list, in that order", () => {
    expect(refused(() => reordered(["a", "b"], ["a", "a"]))).to.equal("order=errors.duplicate");
    expect(refused(() => reordered(["a", "b"], ["a", "A"]))).to.equal("order=errors.duplicate");
    expect(refused(() => reordered(["a", "b"], ["x", "x"]))).to.equal("order=errors.duplicate");
    expect(refused(() => reordered(["a", "b"], []))).to.equal("order=errors.required");
    expect(refused(() => reordered(["a", "b"], ["b", "x"]))).to.equal("not_found");
    expect(refused(() => reordered([], ["a"]))).to.equal("not_found");
  });

  it("a copy is placed directly after its source", () => {
    expect(insertedAfter(["a", "b", "c"], "b", "x")).to.deep.equal(["a", "b", "x", "c"]);
    expect(insertedAfter(["a", "b", "c"], "c", "x")).to.deep.equal(["a", "b", "c", "x"]);
    expect(insertedAfter(["a", "b"], "gone", "x")).to.deep.equal(["a", "b", "x"]);
  });

  it("is a permutation: the named ids first, the others as they were", () => {
    const anyIds = fc
      .uniqueArray(fc.nat({ max: 600 }), { minLength: 1, maxLength: 60 })
      .map((all) => all.map((nth) => id("i", nth)));
    const anyOrder = anyIds.chain((current) =>
      fc.shuffledSubarray(current, { minLength: 1 }).map((named) => ({ current, named })),
    );
    fc.assert(
      fc.property(anyOrder, ({ current, named }) => {
        const order = reordered(current, named);
        expect(order).to.have.members(current);
        expect(order).to.have.lengthOf(current.length);
        expect(order.slice(0, named.length)).to.deep.equal(named);
        expect(order.slice(named.length)).to.deep.equal(current.filter((one) => !named.includes(one)));
        expect(reordered(order, named)).to.deep.equal(order);
      }),
      CASES,
    );
  });
});

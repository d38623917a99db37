import { expect } from "chai";
import type { Field } from "../../../core/impex/field.ts";
import { readMapping } from "../../../core/impex/mapping.ts";
import { effortWithin } from "../../support/effort.ts";

describe("the mapping of an import", () => {
  it("looks at each header once, however long and many they are", async () => {
    const headers = ["A", ...Array.from({ length: 400 }, (_, index) => `${index}${"x".repeat(20_000)}`)];
    const fields = Array.from(
      { length: 100 },
      (_, index): Field => ({ key: `f${index}`, kind: "text", names: [`g${index}`, "a"] }),
    );
    const reading = () => expect(readMapping([], headers, fields).map(({ field }) => field)).to.deep.equal(["f0"]);
    expect(await effortWithin(1_000, reading)).to.be.below(1_000);
  });
});

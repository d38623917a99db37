import { expect } from "chai";
import type { Job } from "../../support/run/messages.ts";
import { takeFrom } from "../../support/run/pool.ts";

describe("the next job of a test process", () => {
  /** Names in the order they are taken; those in capitals delegate. */
  const taken = (names: string, ...delegates: boolean[]): string => {
    const jobs = [...names].map((file): Job => {
      return { file, part: { index: 0, of: 1 }, shares: false, delegates: file === file.toUpperCase() };
    });
    return delegates.map((one) => takeFrom(jobs, one)?.file ?? "-").join("");
  };

  it("is the first that delegates for a process of these, and nothing when none is left", () => {
    expect(taken("aBcD", true, true, true)).to.equal("BD-");
  });

  it("is the first other one for any other process, and at last what delegates", () => {
    expect(taken("AbCd", false, false, false, false, false)).to.equal("bdAC-");
  });

  it("is taken once, whoever comes", () => {
    expect(taken("AbC", true, false, false, true)).to.equal("AbC-");
  });
});

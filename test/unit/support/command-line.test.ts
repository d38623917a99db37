import { expect } from "chai";
import { readCommandLine, shareOf } from "../../support/run/command-line.ts";

describe("the command line of a run", () => {
  it("means the first tier, whole and without end, if it says nothing", () => {
    const nothing = {
      words: [],
      tier: "first",
      changed: false,
      rest: false,
      shard: { index: 1, of: 1 },
      within: undefined,
      seen: undefined,
    };
    expect(readCommandLine([])).to.deep.equal(nothing);
  });

  it("reads words and options in any order", () => {
    const asked = readCommandLine([
      "leave",
      "--within",
      "1500",
      "--rest",
      "test/unit",
      "--changed",
      "--shard",
      "2/6",
      "--seen",
      "seen.json",
    ]);
    expect(asked).to.deep.equal({
      words: ["leave", "test/unit"],
      tier: "all",
      changed: true,
      rest: true,
      shard: { index: 2, of: 6 },
      within: 1_500_000,
      seen: "seen.json",
    });
  });

  for (const words of [["--shard", "0/2"], ["--shard", "3/2"], ["--shard", "half"], ["--within", "soon"], ["--deep"]])
    it(`refuses '${words.join(" ")}'`, () => expect(() => readCommandLine(words)).to.throw(words[0] as string));

  it("deals every file to one share, and neighbours to different ones", () => {
    const files = ["a", "b", "c", "d", "e"];
    const shares = [1, 2, 3].map((index) => shareOf(files, { index, of: 3 }));
    expect(shares).to.deep.equal([["a", "d"], ["b", "e"], ["c"]]);
  });
});

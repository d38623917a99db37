import { readFileSync } from "node:fs";
import { expect } from "chai";

type Package = { optional?: boolean; engines?: { node?: string } };

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8"));

/** The lowest version of Node that a range of npm admits, as a number to compare: 20.6 is 20006; 0 where the range names none. */
function lowestOf(range: string): number {
  const lowest = range.split("||").map((part) => {
    const [, major = 0, minor = 0] = /(\d+)(?:\.(\d+))?/.exec(part) ?? [];
    return 1000 * Number(major) + Number(minor);
  });
  return Math.min(...lowest);
}

describe("what npm ci installs", () => {
  it("reads the lowest version of a range", () => {
    const ranges = [">=22.0.0", "^8.16.0 || ^10.6.0 || >=11.0.0", ">= 10", "*"];
    expect(ranges.map(lowestOf)).to.deep.equal([22_000, 8_016, 10_000, 0]);
  });

  // npm leaves an optional package out, without a word, where the Node that it runs on is older than the package wants.
  it("includes every optional package on the lowest Node that package.json names", () => {
    const lowest = lowestOf(read("package.json").engines.node);
    const packages = Object.entries(read("package-lock.json").packages as Record<string, Package>);
    const optional = packages.filter(([, { optional, engines }]) => optional && engines?.node);
    expect(optional).to.have.length.above(10);
    const tooNew = optional.filter(([, { engines }]) => lowestOf(engines?.node ?? "") > lowest).map(([name]) => name);
    expect(tooNew).to.deep.equal([]);
  });
});

import { expect } from "chai";
import { jobsOf } from "../../support/run/jobs.ts";
import { recordedUses, reportUses } from "../../support/run/services.ts";

const uses = recordedUses();
const filesOf = (use: string) => [...uses].filter(([, one]) => one === use).map(([file]) => file);
const [clock = "", other = ""] = filesOf("clock");
const [plain = ""] = filesOf("plain");
const [parted = ""] = filesOf("parts");

describe("the order of test files", () => {
  it("runs those of one service consecutively", () => {
    const jobs = jobsOf([clock, plain, other, "test/unit/support/order.test.ts"], 4);
    expect(jobs.map(({ shares }) => shares)).to.deep.equal([true, true, true, false]);
    expect(jobs.slice(0, 2).map(({ file }) => file)).to.have.members([clock, other]);
  });

  it("runs a file in parts if there is more than one process", () => {
    expect(jobsOf([parted], 2).map(({ part }) => part.of)).to.deep.equal([3, 3, 3]);
    expect(jobsOf([parted], 1).map(({ part }) => part.of)).to.deep.equal([1]);
  });

  it("keeps the order of a change, the likeliest first", () => {
    expect(jobsOf([other, plain, clock], 4, true).map(({ file }) => file)).to.deep.equal([other, plain, clock]);
  });

  it("knows the service of a file in either tier", () => {
    const moved = plain.replace(".test.ts", ".deep.test.ts");
    expect(reportUses(new Map([[moved, "plain"]]), false)).to.equal("");
  });

  it("names the files whose recorded service differs from the one they used", () => {
    expect(reportUses(new Map([[clock, "clock"]]), false)).to.equal("");
    const line = reportUses(
      new Map([
        [clock, "own"],
        ["test/unit/support/order.test.ts", null],
        ["test/unit/support/new.test.ts", "plain"],
      ]),
      false,
    );
    expect(line).to.contain("2 files").and.to.contain(clock).and.to.contain("test/unit/support/new.test.ts");
  });
});

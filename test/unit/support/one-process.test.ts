import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(import.meta.dirname, "../../..");

/** How many API test files, and how many single tests, need the service in their own process, by the reason they give. */
const FILES = {
  "looks inside the node": 20,
  "stops the node": 4,
  "replaces functions of the process": 5,
  "changes actors while the node runs": 5,
  "counts the process's statements": 2,
};
const TESTS = { "counts the process's statements": 1, "replaces functions of the process": 1 };
/** The most files of a hundred that may. */
const MOST = 8;

/** The marks in all API tests: reason and kind. */
function marks(): { file: string; reason: string; isFile: boolean }[] {
  return globSync("test/api/**/*.ts", { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(path.join(ROOT, file), "utf8").matchAll(/\boneProcess\(\s*"([^"]+)"(\);)?/g)].map(
      ([, reason = "", end]) => ({
        file,
        reason,
        isFile: end !== undefined,
      }),
    ),
  );
}

const counted = (all: { reason: string }[]) =>
  Object.fromEntries([...Map.groupBy(all, ({ reason }) => reason)].map(([reason, group]) => [reason, group.length]));

describe("API tests that need one process", () => {
  it("are these many, so that no more become so unnoticed", () => {
    expect(counted(marks().filter(({ isFile }) => isFile)), "files").to.deep.equal(FILES);
    expect(counted(marks().filter(({ isFile }) => !isFile)), "tests").to.deep.equal(TESTS);
  });

  it(`are at most ${MOST} % of the files`, () => {
    const files = globSync("test/api/**/*.test.ts", { cwd: ROOT }).length;
    expect((marks().filter(({ isFile }) => isFile).length / files) * 100).to.be.below(MOST);
  });
});

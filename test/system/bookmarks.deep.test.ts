import { spawn } from "node:child_process";
import { expect } from "chai";
import { linesOf } from "../support/documents.ts";
import { type Followed, followTutorials } from "../support/tutorial.ts";

const PROOFS = ["access", "input", "selection", "statements", "writes"].map((name) => `test/api/proofs/generic-${name}.test.ts`);
/** Tests that look at the declarations of every module, and at the triggers of every table. */
const DECLARED = [
  "test/unit/declare/*.test.ts",
  "test/unit/core/tenant-tables.test.ts",
  "test/unit/http/page-scopes.test.ts",
  "test/unit/platform/meta-values.test.ts",
  "test/api/instance/instance-backups.test.ts",
];

describe("the module that the documents add", function () {
  this.timeout(240_000);
  let copy: Followed;

  before(() => {
    copy = followTutorials(["## Adding a module"]);
  });
  after(() => copy.remove());

  /** Runs tests of the copy, with the generic proofs narrowed to the module's paths. */
  const testsOf = (...patterns: string[]): Promise<{ code: number | null; output: string }> =>
    new Promise((resolve) => {
      const environment = { ...process.env, PROOF_PATHS: "/bookmarks", TEST_WORKERS: "1" };
      const child = spawn(process.execPath, ["test/run.ts", ...patterns], { cwd: copy.folder, env: environment });
      let output = "";
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
      child.on("close", (code) => resolve({ code, output }));
    });

  it("is one folder, one migration, fixtures and one test: nothing else of the repository changes", () => {
    expect(copy.changed()).to.deep.equal(copy.files.map(({ file }) => file).toSorted());
    expect(copy.files.map(({ file }) => file.replace(/\d{4}/, "0000"))).to.deep.equal([
      "migrations/0000-bookmarks.ts",
      "services/bookmarks/module.ts",
      "services/bookmarks/bookmarks.ts",
      "services/bookmarks/bookmarks.service.ts",
      "services/bookmarks/demo.ts",
      "test/fixtures/bookmarks/fixtures.ts",
      "test/api/bookmarks/bookmarks.test.ts",
    ]);
  });

  it("is left out of the next copy, so that these tests stay green for a reader who has added it", () => {
    const again = followTutorials(["## Adding a module"], copy.folder);
    try {
      const written = (followed: Followed) => followed.files.map(({ file }) => file.replace(/\d{4}/, "0000"));
      expect(written(again)).to.deep.equal(written(copy));
      expect(again.changed()).to.have.length(again.files.length);
    } finally {
      again.remove();
    }
  });

  it("passes its own test, with the line of the documents", async () => {
    const [check = ""] = linesOf("## Adding a module");
    const [, pattern = ""] = /^SERVICES_WRITE=1 npm test -- (\S+)$/m.exec(check) ?? [];
    const { code, output } = await testsOf(pattern);
    expect([code, /\b3 passed, 0 failed\b/.test(output)], output).to.deep.equal([0, true]);
  });

  it("is served, documented and guarded: the generic proofs and those of declarations hold for it", async () => {
    const { code, output } = await testsOf(...PROOFS, ...DECLARED);
    expect(code, output).to.equal(0);
    const touched = (proof: string) => Number(output.match(new RegExp(`(\\d+) operations: ${RegExp.escape(proof)}`))?.[1]);
    expect({
      served: touched("a valid request succeeds"),
      anonymous: touched("anonymous and failed credentials 401"),
      guarded: touched("no permission 403"),
      foreign: touched("another organisation's id 404"),
      referred: touched("another organisation's id in body and query"),
      hidden: touched("a row outside the selection 404"),
      counted: touched("statements equal for"),
      repeated: touched("Idempotency-Key is honoured"),
    }).to.deep.equal({ served: 5, anonymous: 5, guarded: 5, foreign: 3, referred: 1, hidden: 3, counted: 2, repeated: 3 });
  });
});

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { nextStepNumber } from "../../migrations/run.ts";
import { type Followed, followTutorials } from "../support/tutorial.ts";

const PROOFS = ["access", "input", "selection", "statements", "writes"].map((name) => `test/api/proofs/generic-${name}.test.ts`);
/** Tests that look at the declarations of every module, and at every table. */
const DECLARED = [
  "test/unit/declare/*.test.ts",
  "test/unit/core/tenant-tables.test.ts",
  "test/unit/core/violations.test.ts",
  "test/unit/http/error-keys.test.ts",
  "test/unit/http/page-scopes.test.ts",
  "test/api/http/described.test.ts",
  "test/api/http/examples.test.ts",
  "test/api/http/operation-names.test.ts",
];

describe("npm run new -- integration", function () {
  this.timeout(300_000);
  let copy: Followed;
  before(() => {
    copy = followTutorials([]);
  });
  after(() => copy.remove());

  const generate = (...words: string[]) => copy.run(["bin/run.mjs", "new", "integration", ...words]);

  for (const [words, reason] of [
    ["", "npm run new -- integration <provider>"],
    ["Lantern", "'Lantern' is not the name of an integration"],
    ["uptime", "'uptime' exists already: it is a module."],
    ["score", "The code that is written uses 'score' for something else: take another name."],
    ["lantern --singular lanterns", "An integration has neither plural nor singular."],
  ] as const)
    it(`refuses '${words}' and writes nothing`, () => {
      const { status, said } = generate(...words.split(" ").filter(Boolean));
      expect(status, said).to.equal(2);
      expect(said).to.include(reason);
      expect(copy.changed()).to.deep.equal([]);
    });

  it("writes the integration with its name and the next number", () => {
    const { status, said, stdout } = generate("lantern");
    expect(status, said).to.equal(0);
    const files = [
      "integrations/lantern/account.service.ts",
      "integrations/lantern/client.ts",
      "integrations/lantern/events.ts",
      "integrations/lantern/hook.service.ts",
      "integrations/lantern/lantern.ts",
      "integrations/lantern/module.ts",
      "integrations/lantern/scores.service.ts",
      "integrations/lantern/storing.ts",
      "integrations/lantern/sync.service.ts",
      `migrations/${nextStepNumber()}-lantern.ts`,
      "test/api/lantern/lantern.test.ts",
      "test/fixtures/lantern/fixtures.ts",
      "test/simulators/lantern.ts",
    ];
    expect(copy.changed()).to.deep.equal(files);
    for (const file of files) {
      expect(stdout).to.include(`  ${file}\n`);
      expect(readFileSync(path.join(copy.folder, file), "utf8").toLowerCase(), file).not.to.match(/pulse|nnnn/);
    }
  });

  it("writes what npm run check takes as it is", () => {
    const { status, said } = copy.run(["bin/run.mjs", "check"]);
    expect(status, said).to.equal(0);
    expect(said).to.match(/No fixes applied\.\n$/);
  });

  it("writes a test that is green: account, webhook, sync, panel, rule and survey", () => {
    const { status, said } = copy.run(["test/run.ts", "test/api/lantern"]);
    expect(status, said).to.equal(0);
    expect(said).to.match(/\b5 passed, 0 failed\b/);
  });

  it("writes what the proofs of every operation and declaration accept", () => {
    const { status, said } = copy.run(["test/run.ts", ...PROOFS, ...DECLARED], { PROOF_PATHS: "/lantern", TEST_WORKERS: "1" });
    expect(status, said).to.equal(0);
    expect(said)
      .to.match(/\b0 failed\b/)
      .and.to.match(/\b5 operations: no permission 403/);
  });
});

import { expect } from "chai";
import { testsOfChanges, testsOfWord } from "../../support/run/selection.ts";

const ALL = [
  "test/api/clients/companies-list.test.ts",
  "test/api/impex/impex-cli.test.ts",
  "test/api/people/leave-types.test.ts",
  "test/api/proofs/plans.test.ts",
  "test/system/crash.test.ts",
  "test/unit/docs/readme.test.ts",
  "test/unit/people/pots.test.ts",
];
const FOLDERS = new Map([
  ["leave", "people"],
  ["people", "people"],
  ["clients", "clients"],
]);

describe("which tests a command line means", () => {
  const cases: [word: string, tests: string[]][] = [
    ["leave", ["test/api/people/leave-types.test.ts", "test/unit/people/pots.test.ts"]],
    ["people", ["test/api/people/leave-types.test.ts", "test/unit/people/pots.test.ts"]],
    ["cli", ["test/api/impex/impex-cli.test.ts"]],
    ["plans", ["test/api/proofs/plans.test.ts"]],
    ["lea", []],
    ["test", []],
  ];
  for (const [word, tests] of cases)
    it(`'${word}': ${tests.length}`, () => expect(testsOfWord(word, ALL, FOLDERS)).to.deep.equal(tests));

  const changes: [what: string, changed: string[], tests: string[]][] = [
    ["nothing", [], []],
    ["a test", ["test/system/crash.test.ts"], ["test/system/crash.test.ts"]],
    ["a test that is gone", ["test/unit/people/gone.test.ts"], []],
    ["a module", ["services/clients/x/y.ts"], ["test/api/clients/companies-list.test.ts", "test/api/proofs/plans.test.ts"]],
    [
      "a fixture",
      ["test/fixtures/clients/lists.ts"],
      ["test/api/clients/companies-list.test.ts", "test/api/proofs/plans.test.ts"],
    ],
    ["a text", ["docs/jobs.md"], ["test/unit/docs/readme.test.ts"]],
    ["the core", ["docs/jobs.md", "core/http/etag.ts"], ALL],
    ["a mixin", ["mixins/jobs.ts"], ALL],
    ["a folder without tests of its own", ["integrations/new/new.service.ts"], ALL],
  ];
  for (const [what, changed, tests] of changes)
    it(`after a change of ${what}: ${tests.length}`, () => expect(testsOfChanges(changed, ALL, FOLDERS)).to.deep.equal(tests));
});

import path from "node:path";
import { expect } from "chai";
import { distancesFrom, importedTexts, readImportGraph } from "../../support/run/import-graph.ts";
import { testsOfChanges, testsOfWord } from "../../support/run/selection.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

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
});

const SERVICE = "test/support/service.ts";
/** Clients have an actor, work has a rule with a test of its own, and both are reached by every test that starts the service. */
const GRAPH = new Map(
  Object.entries({
    "services/clients/list.service.ts": { "core/paging.ts": 1, "services/clients/names.ts": 1 },
    "services/work/hours.service.ts": { "services/work/rounding.ts": 1 },
    "operator/node.ts": { "services/clients/list.service.ts": 8, "services/work/hours.service.ts": 8 },
    [SERVICE]: { "operator/node.ts": 1 },
    "test/api/clients/list.test.ts": { [SERVICE]: 1 },
    "test/api/clients/growth.deep.test.ts": { [SERVICE]: 1 },
    "test/api/work/hours.test.ts": { [SERVICE]: 1 },
    "test/unit/work/rounding.test.ts": { "services/work/rounding.ts": 1 },
    "test/unit/docs/texts.test.ts": { "docs/tour.md": 4 },
  }).map(([file, needed]) => [file, new Map(Object.entries(needed))]),
);
const OF_GRAPH = [...GRAPH.keys()].filter((file) => file.endsWith(".test.ts"));

describe("which tests a change can break, the likeliest first", () => {
  const [list, growth, hours, rounding, texts] = OF_GRAPH as [string, string, string, string, string];
  const changes: [what: string, changed: string[], tests: string[]][] = [
    ["nothing", [], []],
    ["a test", [hours], [hours]],
    ["a test that is gone", ["test/api/work/gone.test.ts"], []],
    ["a file of a module", ["services/clients/names.ts"], [growth, list, hours]],
    ["a rule with a test of its own", ["services/work/rounding.ts"], [rounding, hours, growth, list]],
    ["a file of the core", ["core/paging.ts"], [growth, list, hours]],
    ["a text", ["docs/tour.md"], [texts]],
    ["a file that no test needs", ["LICENSE"], []],
  ];
  for (const [what, changed, tests] of changes)
    it(`after a change of ${what}: ${tests.length}`, () => expect(testsOfChanges(changed, OF_GRAPH, GRAPH)).to.deep.equal(tests));
});

describe("the imports of this repository", () => {
  const graph = readImportGraph(ROOT);
  const reached = (file: string) => [...distancesFrom([file], graph).keys()].filter((one) => one.endsWith(".test.ts"));

  it("lead from a rule to its unit test, to the tests of its module and to whole processes", () => {
    const tests = reached("services/people/requests/request-writes.ts");
    expect(tests.some((file) => file.startsWith("test/api/people/"))).to.equal(true);
    expect(tests.some((file) => file.startsWith("test/system/"))).to.equal(true);
  });

  it("lead from a text to the tests that read it", () => {
    expect(reached("README.md")).to.include("test/unit/docs/readme.test.ts");
  });

  it("have the texts that the steps of the schema import", () => {
    const texts = importedTexts(ROOT, ["migrations/run.ts"]);
    expect([...texts.keys()]).to.include.members(["migrations/run.ts", "migrations/step.ts"]);
    expect([...texts.keys()].filter((file) => file.startsWith("services/"))).to.deep.equal([]);
  });
});

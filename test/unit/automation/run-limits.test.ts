import { expect } from "chai";
import { skippedRuns, type WantedRun } from "../../../services/automation/runs/run-limits.ts";

const RATE = "errors.automation_rule_rate";
const HOUR = 3600;

describe("the runs that a limit skips", () => {
  /** Runs of one rule on one record at these seconds. */
  const at = (times: readonly number[], other: Partial<WantedRun> = {}): WantedRun[] =>
    times.map((time, n) => ({
      id: `${other.rule_id ?? "a"}${n}`,
      rule_id: "a",
      entity_id: "x",
      depth: 0,
      at: time,
      earlier: 0,
      ...other,
    }));
  const every = (seconds: number, count: number): number[] => Array.from({ length: count }, (_, n) => n * seconds);
  /** The runs that are skipped, by their position. */
  const skipped = (wanted: readonly WantedRun[]): number[] => {
    const found = skippedRuns(wanted);
    return wanted.flatMap(({ id }, n) => (found.get(id) === RATE ? [n] : []));
  };

  const rows: [what: string, wanted: WantedRun[], skipped: number[]][] = [
    ["20 at once", at(Array(20).fill(0)), []],
    ["21 at once", at(Array(21).fill(0)), [20]],
    ["an hour after 20", at([...Array(20).fill(0), HOUR]), []],
    ["just within an hour of 20", at([...Array(20).fill(0), HOUR - 1]), [20]],
    ["a second hour, although runs were skipped in the first", at(every(120, 50)), [...Array(10).keys()].map((n) => n + 20)],
    ["stored runs count", at([0, 1], { earlier: 19 }), [1]],
    ["in any order", at(every(1, 21).toReversed()), [0]],
    [
      "another rule and record count apart",
      [...at(Array(20).fill(0)), ...at([0], { rule_id: "b" }), ...at([0], { id: "c", entity_id: "y" })],
      [],
    ],
  ];
  for (const [what, wanted, expected] of rows)
    it(`are ${expected.length} of ${wanted.length}: ${what}`, () => {
      expect(skipped(wanted)).to.deep.equal(expected);
    });

  it("are those of depth 3 and more, which count for no other", () => {
    const deep = at(Array(20).fill(0), { depth: 3 }).map((run) => ({ ...run, id: `deep ${run.id}` }));
    const found = skippedRuns([...deep, ...at([1])]);
    expect([...found.keys()]).to.deep.equal(deep.map(({ id }) => id));
    expect(new Set(found.values())).to.deep.equal(new Set(["errors.automation_depth_exceeded"]));
    expect(skippedRuns(at([0], { depth: 2 })).size).to.equal(0);
  });
});

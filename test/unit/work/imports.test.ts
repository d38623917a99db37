import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const WORK = new URL("../../../services/work/", import.meta.url);
const ALLOWED = /^(?:\.\.\/)+core\/(?:calendar\/calendar(?:-text)?|(?:values|rules)\/[\w-]+|errors\/errors)\.ts$/;

/** The rule files of the module; actors, models and schemas may import more. */
const RULES = [
  "comments/audience.ts",
  "planning/calendar-events.ts",
  "projects/budgets/burn-down.ts",
  "rosters/roster.ts",
  "checklists/checklist-order.ts",
  "comments/comment-text.ts",
  "tasks/due-dates.ts",
  "links/link-url.ts",
  "comments/plain-text.ts",
  "planning/planned-blocks.ts",
  "tasks/recurrence/recurrence.ts",
  "statuses/status-moves.ts",
  "days.ts",
  "time/entry-times.ts",
  "time/money.ts",
  "time/timesheet-reminder.ts",
];

describe("rules of work", () => {
  it("are all there", () => {
    expect(globSync("**/*.ts", { cwd: WORK }).map((file) => file.split(path.sep).join("/"))).to.include.members(RULES);
  });

  for (const file of RULES) {
    const source = (): string => readFileSync(new URL(file, WORK), "utf8");

    it(`${file} imports only the calendar, values and refusals of the core, and other rules`, () => {
      for (const [, from = ""] of source().matchAll(/(?:from|import\()\s*"([^"]+)"/g)) {
        if (!ALLOWED.test(from)) expect(RULES).to.include(path.posix.join(path.posix.dirname(file), from));
      }
    });

    it(`${file} reads no clock and no zone of the machine`, () => {
      expect(source()).not.to.match(/\bnew Date\b|Date\.now|performance|Temporal|parseFloat|toFixed/);
    });
  }
});

import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const PEOPLE = new URL("../../../services/people/", import.meta.url);
const ALLOWED =
  /^(?:\.{1,2}\/(?:[\w-]+\/)?[\w-]+\.ts|(?:\.\.\/)+core\/(?:calendar\/calendar(?:-text)?|naming\/named-values|values\/(?:money|scope|hourly-rate))\.ts|date-holidays)$/;

function importsOf(source: string): string[] {
  return [...source.matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map((match) => match[1] ?? "");
}

/** The rule files of the folder; actors, models and schemas may import more. */
const CORE = [
  "availability",
  "availability-day",
  "balance",
  "calendar-feed",
  "consumption",
  "contract",
  "coverage",
  "derivation",
  "dossier",
  "edit",
  "expiry",
  "free-time",
  "historic-import",
  "holiday-generator",
  "holiday-import",
  "holidays",
  "hours",
  "leave-events",
  "leave-types",
  "limits",
  "period",
  "placement",
  "powers",
  "preview",
  "proration",
  "recurrence",
  "refusal",
  "schedule",
  "settings",
  "span-cost",
  "status",
  "stretches",
  "summary",
  "team-layout",
  "transitions",
  "week",
  "week-validation",
].map((name) => `${name}.ts`);

describe("calculation core", () => {
  const paths = new Map(globSync("**/*.ts", { cwd: PEOPLE }).map((file) => [path.basename(file), file]));
  const read = (file: string): string => readFileSync(new URL(paths.get(file) ?? file, PEOPLE), "utf8");

  for (const file of CORE) {
    it(`${file} imports only the core itself, core/calendar, core/money, names of values and the holiday library`, () => {
      for (const from of importsOf(read(file))) {
        expect(from).to.match(ALLOWED);
        if (from.startsWith(".") && !from.includes("/core/")) expect(CORE).to.include(path.basename(from));
      }
    });

    it(`${file} reads no clock and no floats of money`, () => {
      expect(read(file)).not.to.match(/\bnew Date\b|Date\.now|parseFloat|toFixed/);
    });
  }

  it("is all there", () => {
    expect(CORE.filter((file) => !paths.has(file))).to.deep.equal([]);
  });

  it("core/calendar and core/money import no module", () => {
    for (const file of [
      "calendar/calendar.ts",
      "calendar/calendar-text.ts",
      "calendar/dates.ts",
      "calendar/times.ts",
      "calendar/zones.ts",
      "values/money.ts",
    ]) {
      const source = readFileSync(new URL(`../../../core/${file}`, import.meta.url), "utf8");
      for (const from of importsOf(source)) expect(from).to.match(/^(?:\.\/[\w-]+\.ts|temporal-polyfill|decimal\.js)$/);
    }
  });
});

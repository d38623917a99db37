import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { CHECKS } from "../../mutation/checks.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

describe("the mutants of npm run mutation", () => {
  for (const [name, { mutants }] of Object.entries(CHECKS))
    it(`${name}: each fits the source exactly once`, () => {
      const misfits = mutants.filter(([file, source]) => readFileSync(path.join(ROOT, file), "utf8").split(source).length !== 2);
      expect(misfits.map(([file, source]) => `${file}: ${source}`)).to.deep.equal([]);
    });
});

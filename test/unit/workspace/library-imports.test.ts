import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(import.meta.dirname, "../../..");
/** The library as a whole, by any spelling, types included: 700 ms, 121 MB, and 1.4 GB for the compiler. */
const WHOLE = /(?:from|import|require)\s*\(?\s*["'](googleapis|googleapis\/build\/src\/(index|googleapis)(\.js)?)["']/;

describe("googleapis", () => {
  const files = execFileSync("git", ["ls-files", "*.ts", "*.mjs", "*.js"], { cwd: ROOT, encoding: "utf8" })
    .trim()
    .split("\n")
    .filter((file) => file !== path.relative(ROOT, import.meta.filename));

  it("is imported one API at a time, and nowhere as a whole", () => {
    const found = files.filter((file) => WHOLE.test(readFileSync(path.join(ROOT, file), "utf8")));
    expect(found).to.deep.equal([]);
    for (const text of [`from "googleapis"`, `import("googleapis")`, `require('googleapis/build/src/index.js')`])
      expect(WHOLE.test(text), text).to.equal(true);
  });

  it("is imported by the one client of Google alone", () => {
    const importing = /["']google(apis|-auth-library)\//;
    const found = files.filter((file) => importing.test(readFileSync(path.join(ROOT, file), "utf8")));
    expect(found.filter((file) => !file.startsWith("mixins/google/"))).to.deep.equal([]);
    expect(found.length).to.be.greaterThan(1);
  });
});

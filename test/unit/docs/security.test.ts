import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
// The ids of levels 1 and 2 of OWASP ASVS 5.0.0, with their level.
import levels from "./asvs-ids.json" with { type: "json" };

const ROOT = path.join(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");
/** A row of a requirement: id, level, state, and by what. */
const ROW = /^\| V([\d.]+) \| (\d) \| ([\w/]+) \| (.+) \|$/gm;
const FOLDERS = "core|mixins|services|integrations|operator|cli|migrations|deploy|docs|bin|test|\\.ci";
/** Files of the project in a text; a file at its top has an ending. */
const filesIn = (text: string): string[] =>
  [...text.matchAll(new RegExp(`\`((?:(?:${FOLDERS})/[^\`\\s]+)|(?:\\.dockerignore|Dockerfile|biome\\.json))\``, "g"))].map(
    ([, file]) => file as string,
  );

describe("docs/security.md", () => {
  const page = read("docs/security.md");
  const rows = [...page.matchAll(ROW)].map(([, id, level, state, by]) => ({
    id: id as string,
    level: Number(level),
    state: state as string,
    by: by as string,
  }));

  it("has each requirement of levels 1 and 2 once, with its level and a state", () => {
    expect(rows.map(({ id, level }) => [id, level])).to.deep.equal(Object.entries(levels));
    expect([...new Set(rows.map(({ state }) => state))].toSorted()).to.deep.equal(["met", "n/a", "open"]);
  });

  it("names a file, or a part of the page, for each that is met", () => {
    const unproved = rows.filter(({ state, by }) => state === "met" && filesIn(by).length === 0 && !by.includes("](#"));
    expect(unproved.map(({ id, by }) => `V${id}: ${by}`)).to.deep.equal([]);
  });

  it("counts them as they are", () => {
    const count = (state: string) => rows.filter((row) => row.state === state).length;
    expect(page).to.contain(`| all | ${count("met")} | ${count("open")} | ${count("n/a")} |`);
    for (const [, chapter, ...counts] of page.matchAll(/^\| V(\d+) [^|]+\| (\d+) \| (\d+) \| (\d+) \|$/gm)) {
      const own = rows.filter(({ id }) => id.startsWith(`${chapter}.`));
      const counted = ["met", "open", "n/a"].map((state) => own.filter((row) => row.state === state).length);
      expect(counts.map(Number), `V${chapter}`).to.deep.equal(counted);
    }
  });

  for (const document of ["docs/security.md", "docs/threats.md"])
    it(`names only files that exist (${document})`, () => {
      const named = filesIn(read(document));
      expect(named.length).to.be.greaterThan(30);
      expect(named.filter((file) => !existsSync(path.join(ROOT, file)))).to.deep.equal([]);
    });

  it("is right that no source makes code of texts", () => {
    const sources = globSync("{core,mixins,services,integrations,operator,cli,migrations}/**/*.ts", { cwd: ROOT });
    expect(sources.length).to.be.greaterThan(1000);
    const found = sources.filter((file) => /(?<![\w.])eval\(|new Function\(|from "node:vm"/.test(read(file)));
    expect(found).to.deep.equal([]);
  });
});

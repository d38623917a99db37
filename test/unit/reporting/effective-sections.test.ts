import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { effectiveSections } from "../../../services/reporting/profiles/effective-sections.ts";
import { wholeLayout } from "../../../services/reporting/sections/layout.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

describe("the sections in force of a client (workspace-reporting §1.4)", () => {
  const all = [
    { key: "a", audience: "both" as const },
    { key: "b", audience: "client" as const },
    { key: "c", audience: "internal" as const },
  ];
  const off = (...keys: string[]) => wholeLayout({ sections: keys.map((key) => ({ key, enabled: false })) });
  const rows: [what: string, layouts: Parameters<typeof effectiveSections>[1], own: Record<string, boolean>, expected: string][] =
    [
      ["everything without a template", {}, {}, "a b c"],
      ["by the client's template, for what both audiences have too", { client: off("a"), internal: off("b") }, {}, "b c"],
      ["by the internal template for what is internal", { client: off("c"), internal: off("c", "a") }, {}, "a b"],
      [
        "by the client's own choice before either",
        { client: off("a"), internal: off("c") },
        { a: true, c: true, b: false },
        "a c",
      ],
    ];
  for (const [what, layouts, own, expected] of rows)
    it(`are ${what}`, () => {
      const found = effectiveSections(all, layouts, own);
      expect(Object.keys(found)).to.deep.equal(["a", "b", "c"]);
      expect(Object.keys(found).filter((key) => found[key])).to.deep.equal(expected.split(" "));
    });
});

describe("sections are declared by the modules that own their figures (workspace-reporting §1.3)", () => {
  it("and reporting names none of those modules, nor any of their sections", () => {
    // The summary is reporting's own.
    const reportSections = catalogue().reportSections.filter(({ module }) => module !== "reporting");
    expect(reportSections).to.have.length(13);
    const names = new Set(reportSections.flatMap(({ key, module }) => [key, key.split(".")[0] as string, module as string]));
    const files = globSync("services/reporting/**/*.ts", { cwd: ROOT }).filter((file) => !file.includes("proofs"));
    expect(files.length).to.be.greaterThan(30);
    for (const file of files) {
      const source = readFileSync(path.join(ROOT, file), "utf8");
      for (const name of names) expect(new RegExp(`["'\`]${name}["'\`.]`).test(source), `${name} in ${file}`).to.equal(false);
    }
  });

  it("with a heading in both languages, and positions of their own", () => {
    const { reportSections } = catalogue();
    for (const { key, title } of reportSections) for (const text of [title.nl, title.en]) expect(text, key).not.to.equal("");
    expect(new Set(reportSections.map(({ position }) => position)).size).to.equal(reportSections.length);
    expect(reportSections.map(({ position }) => position)).to.deep.equal([5, 10, 20, 30, 40, 45, 50, 60, 70, 80, 82, 85, 90, 95]);
  });
});

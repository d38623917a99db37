import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(import.meta.dirname, "../../..");
const RULES = "docs/rules";
/** Chapters of the rules by the word that cites them; `workspace §2` and `contact moments §3` are of one chapter. */
const CHAPTERS: Record<string, string> = {
  access: "access",
  assets: "assets",
  clients: "clients",
  conventions: "conventions",
  "marketing-ads": "marketing-ads",
  moments: "workspace-reporting",
  banking: "banking",
  money: "money",
  people: "people",
  platform: "platform",
  work: "work",
  workspace: "workspace-reporting",
  "workspace-reporting": "workspace-reporting",
};
/** A citation: the word, and one heading or several (`money §8, §9 and §10`, `assets §6 to §8`). */
const CITATION = new RegExp(
  `\\b(?<!-)(${Object.keys(CHAPTERS).join("|")})(?: chapter)?,? (§\\d+(?:\\.\\d+)*(?:(?:, and |, | and | or | to )§\\d+(?:\\.\\d+)*)*)`,
  "g",
);

/** The numbers of the headings of a chapter, and of the numbered rules in a section without headings of its own (`2. …` below `## 2.` is §2.2). */
function numbersIn(chapter: string): Set<string> {
  const numbers = new Set<string>();
  let section = "";
  for (const line of readFileSync(path.join(ROOT, RULES, `${chapter}.md`), "utf8").split("\n")) {
    const heading = line.match(/^#{2,4} (\d+(?:\.\d+)*)\.? /)?.[1];
    if (heading) numbers.add((section = heading));
    const rule = line.match(/^(\d+)\. /)?.[1];
    if (rule && section !== "") numbers.add(`${section}.${rule}`);
  }
  return numbers;
}

describe("what code and tests cite of the rules", () => {
  const files = globSync("{bench,cli,core,integrations,migrations,mixins,operator,services,test}/**/*.ts", { cwd: ROOT }).concat(
    globSync("{*.md,docs/**/*.md}", { cwd: ROOT }),
  );
  const headings = new Map(
    [...new Set(Object.values(CHAPTERS))].map((chapter) => [
      chapter,
      existsSync(path.join(ROOT, RULES, `${chapter}.md`)) ? numbersIn(chapter) : new Set<string>(),
    ]),
  );

  it("is a heading or a numbered rule of docs/rules", () => {
    const unresolved = new Set<string>();
    let cited = 0;
    for (const file of files) {
      // Comments are folded: a citation may go over into the next line.
      const text = readFileSync(path.join(ROOT, file), "utf8").replaceAll(/\n\s*(?:\*|\/\/)?\s*/g, " ");
      for (const [, word, numbers] of text.matchAll(CITATION))
        for (const [, number] of (numbers as string).matchAll(/§([\d.]+\d|\d)/g)) {
          cited += 1;
          const chapter = CHAPTERS[word as string] as string;
          if (!headings.get(chapter)?.has(number as string)) unresolved.add(`${chapter} §${number} (${file})`);
        }
    }
    expect([...unresolved].toSorted().join("\n")).to.equal("");
    expect(cited).to.be.greaterThan(1_000);
  });
});

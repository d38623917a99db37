import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

/** The pages that operators read while something does not work, and so have to scan. */
const OF_OPERATORS = [
  "docs/{operating,nodes,runbook,metrics,log,configuration,single-sign-on,measuring,security,threats}.md",
  "docs/{operating,deploy}/*.md",
];
/** Characters of the longest paragraph or item of a list: five lines on a wide page. */
const LONGEST = 450;

/** The paragraphs and items of lists of a page, without code, headings and tables. */
function paragraphsOf(text: string): string[] {
  const prose = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, "");
  return prose
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=#)/)
    .map((part) => part.replaceAll(/\s+/g, " ").trim())
    .filter((part) => part !== "" && !/^[|#]/.test(part));
}

/** The anchor of a heading, as repositories on the web make it. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/`|\[([^\]]*)\]\([^)]*\)/g, (_, label: string | undefined) => label ?? "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

describe("the documents", () => {
  it(`have no paragraph for operators of more than ${LONGEST} characters`, () => {
    const files = OF_OPERATORS.flatMap((pattern) => globSync(pattern, { cwd: ROOT }));
    expect(files).to.include.members(["docs/operating.md", "docs/operating/secrets.md", "docs/deploy/docker.md"]);
    const long = files.flatMap((file) =>
      paragraphsOf(read(file))
        .filter(({ length }) => length > LONGEST)
        .map((paragraph) => `${file}: ${paragraph.length} characters: ${paragraph.slice(0, 60)}…`),
    );
    expect(long).to.deep.equal([]);
  });

  it("are each linked from docs/README.md, or from the README.md of their folder that it links", () => {
    const linked = new Set(
      globSync("docs/{,*/}README.md", { cwd: ROOT }).flatMap((index) =>
        [...read(index).matchAll(/\]\(([^)#]+\.md)/g)].map(([, target]) => path.join(path.dirname(index), target as string)),
      ),
    );
    const unlinked = globSync("docs/**/*.md", { cwd: ROOT }).filter((file) => file !== "docs/README.md" && !linked.has(file));
    expect(unlinked).to.deep.equal([]);
  });

  it("link only to headings that exist", () => {
    const files = globSync("{*.md,docs/**/*.md}", { cwd: ROOT });
    const anchors = new Map(
      files.map((file) => [
        file,
        new Set([...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading as string))),
      ]),
    );
    const broken = files.flatMap((file) =>
      [...read(file).matchAll(/\]\(([^):\s]*)#([^)]+)\)/g)].flatMap(([, target, anchor]) => {
        const named = target === "" ? file : path.join(path.dirname(file), target as string);
        return anchors.get(named)?.has(anchor as string) === false ? [`${file}: ${target}#${anchor}`] : [];
      }),
    );
    expect(broken).to.deep.equal([]);
  });
});

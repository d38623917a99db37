import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(import.meta.dirname, "../..");

/** A file that a chapter of the documents shows whole. */
export interface DescribedFile {
  /** Path relative to the root. The number of a migration is `NNNN`. */
  file: string;
  text: string;
}

/** The text under a chapter's heading, in any document. @throws Error if there is no such chapter */
export function bodyOf(chapter: string): string {
  for (const document of ["README.md", ...globSync("docs/**/*.md", { cwd: ROOT }).sort()]) {
    const text = readFileSync(path.join(ROOT, document), "utf8");
    const start = text.indexOf(`${chapter}\n`);
    if (start !== -1) return text.slice(start + chapter.length).split(/^#{1,2} /m)[0] as string;
  }
  throw new Error(`no document has the chapter '${chapter}'`);
}

/** The files of a chapter's example: each is a code block after a step that names it. */
export function filesOf(chapter: string): DescribedFile[] {
  return [...bodyOf(chapter).matchAll(/^\d+\. [^\n]*?`([\w/.-]+\.ts)`[^\n]*\n+ {3}```ts\n([\s\S]*?) {3}```/gm)].map(
    ([, file = "", code = ""]) => ({ file, text: code.replace(/^ {3}/gm, "") }),
  );
}

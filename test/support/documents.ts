import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(import.meta.dirname, "../..");

/** A file that a chapter has the reader write. */
export interface DescribedFile {
  /** Its path from the root. */
  file: string;
  text: string;
}

/**
 * The files of a chapter's example, wherever among the documents the chapter stands: each is a block of code after a step that names it.
 * @throws Error when there is no such chapter
 */
export function filesOf(chapter: string): DescribedFile[] {
  for (const document of ["README.md", ...globSync("docs/**/*.md", { cwd: ROOT }).sort()]) {
    const text = readFileSync(path.join(ROOT, document), "utf8");
    const start = text.indexOf(`${chapter}\n`);
    if (start === -1) continue;
    const [body = ""] = text.slice(start + chapter.length).split(/^#{1,2} /m);
    return [...body.matchAll(/^\d+\. [^\n]*?`([\w/.-]+\.ts)`[^\n]*\n+ {3}```ts\n([\s\S]*?) {3}```/gm)].map(
      ([, file = "", code = ""]) => ({ file, text: code.replace(/^ {3}/gm, "") }),
    );
  }
  throw new Error(`no document has the chapter '${chapter}'`);
}

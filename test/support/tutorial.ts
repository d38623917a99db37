import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type DescribedFile, filesOf } from "../../bin/new/chapters.ts";

const ROOT = path.join(import.meta.dirname, "../..");

/** A copy of the repository with the tutorials' files written into it, as readers would. */
export interface Followed {
  folder: string;
  /** The written files, by their paths in the copy, in the tutorials' order. */
  files: readonly DescribedFile[];
  git(...words: string[]): string;
  remove(): void;
}

/** The chapters' files under their final names: migrations take the next free numbers, as the documents say. */
function numbered(chapters: readonly string[], root: string): DescribedFile[] {
  const taken = globSync("migrations/[0-9]*.ts", { cwd: root }).map((step) => Number(path.basename(step).slice(0, 4)));
  let last = Math.max(...taken);
  return chapters.flatMap(filesOf).map(({ file, text }) => ({
    file: file.replace(/^migrations\/NNNN/, () => `migrations/${String(++last).padStart(4, "0")}`),
    text,
  }));
}

/** Whether the tutorials write this file: a reader who followed them in this checkout already has it. */
function isOfTutorials(file: string, files: readonly DescribedFile[]): boolean {
  const unnumbered = (name: string) => name.replace(/^migrations\/\d{4}/, "migrations/NNNN");
  return files.some((written) => unnumbered(written.file) === unnumbered(file));
}

/**
 * Copies the repository into a new git repository and follows tutorials in the copy. It omits files a reader has already added by following
 * them.
 * @param chapters headings of the documents
 * @param root the checkout to copy; this one by default
 */
export function followTutorials(chapters: readonly string[], root = ROOT): Followed {
  const folder = mkdtempSync(path.join(tmpdir(), "kantoor-tutorial-"));
  // PostgreSQL's own account must be able to reach a data directory below it.
  chmodSync(folder, 0o711);
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@localhost", ...words], { cwd: folder, encoding: "utf8" });
  const files = numbered(chapters, root);
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  for (const file of new Set(listed.toString().split("\0").filter(Boolean)))
    if (!isOfTutorials(file, files) && file !== "node_modules")
      cpSync(path.join(root, file), path.join(folder, file), { force: true, errorOnExist: false });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Before");
  symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  for (const { file, text } of files) {
    mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return { folder, files, git, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type DescribedFile, filesOf } from "../../bin/new/chapters.ts";
import { cleanEnvironment } from "./process.ts";

const ROOT = path.join(import.meta.dirname, "../..");

/** A copy of the repository with the tutorials' files written into it, as readers would. */
export interface Followed {
  folder: string;
  /** The written files, by their paths in the copy, in the tutorials' order. */
  files: readonly DescribedFile[];
  git(...words: string[]): string;
  /** Runs Node.js in the copy until it ends. `said` is both streams, for the message of an assertion. */
  run(words: readonly string[], more?: Record<string, string>): Ended;
  /** The files that are new in the copy, or differ from what was copied, sorted. */
  changed(): string[];
  remove(): void;
}

/** What a process that ended left. */
interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
  said: string;
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
  const run = (words: readonly string[], more: Record<string, string> = {}): Ended => {
    const env = { ...cleanEnvironment(), ...more };
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8", env });
    return { status, stdout, stderr, said: `${stdout}${stderr}` };
  };
  const changed = () =>
    git("status", "--porcelain", "--untracked-files=all")
      .trim()
      .split("\n")
      .map((line) => line.slice(3))
      .filter((file) => file !== "" && file !== "node_modules")
      .toSorted();
  return { folder, files, git, run, changed, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

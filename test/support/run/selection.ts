import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(import.meta.dirname, "../../..");
const EVERYTHING = "test/{unit,api,start,system}/**/*.test.ts";

/** Module keys by folder, for folders whose manifest does not name them. */
const KEYS: Record<string, readonly string[]> = { clients: ["companies", "contacts"], people: ["leave", "hr"] };

/** Test folders by each word for them: the folder's name and its modules' keys. */
export type Folders = ReadonlyMap<string, string>;

/** Reads the folders of `services/` and `integrations/`, by name and by the keys in their manifests. */
function readFolders(): Folders {
  const manifests = globSync("{services,integrations}/*/module.ts", { cwd: ROOT }).map((file): [string, string[]] => {
    const keys = [...readFileSync(path.join(ROOT, file), "utf8").matchAll(/^\s*key: "([a-z_-]+)",$/gm)];
    return [path.basename(path.dirname(file)), keys.map(([, key]) => key as string)];
  });
  const folders = Object.entries({ ...KEYS, ...Object.fromEntries(manifests) });
  return new Map(folders.flatMap(([folder, keys]) => [...keys, folder].map((word): [string, string] => [word, folder])));
}

/** The tests for a word: those in the module's folder, and those whose path has the word as a whole segment or between dashes. */
export function testsOfWord(word: string, all: readonly string[], folders: Folders): string[] {
  const folder = folders.get(word);
  return all.filter((file) => {
    const parts = file
      .replace(/\.test\.ts$/, "")
      .split("/")
      .slice(1);
    return (folder !== undefined && parts.includes(folder)) || parts.some((part) => part.split("-").concat(part).includes(word));
  });
}

/** The tests among these files and folders. */
const testsBelow = (places: readonly string[], all: readonly string[]): string[] =>
  all.filter((file) => places.some((place) => file === place || file.startsWith(`${place.replace(/\/$/, "")}/`)));

/**
 * The tests of changed files. A test selects itself; a module's file or fixture its module's tests and the generic proofs; a document the
 * documentation tests; any other file, or a module without tests, all tests.
 */
export function testsOfChanges(changed: readonly string[], all: readonly string[], folders: Folders): string[] {
  const wanted = new Set<string>();
  for (const file of changed) {
    const [, room, folder] = /^(services|integrations|test\/fixtures)\/([^/]+)\//.exec(file) ?? [];
    if (all.includes(file)) wanted.add(file);
    else if (file.endsWith(".test.ts"))
      continue; // It is gone.
    else if (file.endsWith(".md")) for (const test of testsOfWord("docs", all, folders)) wanted.add(test);
    else {
      const own = room && folder ? testsOfWord(folder, all, folders) : [];
      if (own.length === 0) return [...all];
      for (const test of [...own, ...testsOfWord("proofs", all, folders)]) wanted.add(test);
    }
  }
  return all.filter((file) => wanted.has(file));
}

/** Files that differ from this branch's base on main, including uncommitted and untracked ones. */
function changedFiles(): string[] {
  const git = (...words: string[]) => execFileSync("git", words, { cwd: ROOT, encoding: "utf8" }).split("\n").filter(Boolean);
  const [base = "main"] = git("merge-base", "main", "HEAD");
  return [...git("diff", "--name-only", "--no-renames", base), ...git("ls-files", "--others", "--exclude-standard")];
}

/**
 * Resolves the command line's words to test files: modules, `--changed`, files and globs; all files without words.
 * @throws Error for a word that matches no test
 */
export function selected(words: readonly string[]): string[] {
  const all = globSync(EVERYTHING, { cwd: ROOT }).sort();
  if (words.length === 0) return all;
  const folders = readFolders();
  const wanted = words.flatMap((word) => {
    if (word === "--changed") return testsOfChanges(changedFiles(), all, folders);
    const found = /[/*.]/.test(word) ? testsBelow(globSync(word, { cwd: ROOT }), all) : testsOfWord(word, all, folders);
    if (found.length === 0) throw new Error(`'${word}' is no module, file or pattern that has tests`);
    return found;
  });
  return [...new Set(wanted)].sort();
}

import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { DEEP, type Tier } from "../tier.ts";
import { distancesFrom, type ImportGraph, readImportGraph } from "./import-graph.ts";

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
      .replace(/(\.deep)?\.test\.ts$/, "")
      .split("/")
      .slice(1);
    return (folder !== undefined && parts.includes(folder)) || parts.some((part) => part.split("-").concat(part).includes(word));
  });
}

/** The tests among these files and folders. */
const testsBelow = (places: readonly string[], all: readonly string[]): string[] =>
  all.filter((file) => places.some((place) => file === place || file.startsWith(`${place.replace(/\/$/, "")}/`)));

/** Whether `npm test` leaves the file out. */
export const isDeep = (file: string): boolean => file.endsWith(DEEP);

/** How much closer a test is to a file of its own module than the imports say: almost every test starts the whole service. */
const OF_THE_MODULE = 6;
const moduleOf = (file: string): string | undefined =>
  /^(?:services|integrations|test\/(?:fixtures|api|unit))\/([^/]+)\//.exec(file)?.[1];

/**
 * The tests that the changed files can break, the likeliest first: by the distance in the graph of imports, tests of a changed module before
 * others, of equal ones those of the second tier first. A changed test is its own.
 */
export function testsOfChanges(changed: readonly string[], all: readonly string[], graph: ImportGraph): string[] {
  const distances = distancesFrom(changed, graph);
  const modules = new Set(changed.flatMap((file) => moduleOf(file) ?? []));
  const rank = (file: string) => {
    const distance = distances.get(file) ?? 0;
    return distance > 0 && modules.has(moduleOf(file) ?? "") ? Math.max(1, distance - OF_THE_MODULE) : distance;
  };
  return all
    .filter((file) => distances.has(file))
    .sort((one, other) => rank(one) - rank(other) || Number(isDeep(other)) - Number(isDeep(one)));
}

const git = (...words: string[]): string[] =>
  execFileSync("git", words, { cwd: ROOT, encoding: "utf8" }).split("\n").filter(Boolean);

/** How far back a change goes on the main branch itself, which has no base to compare with. */
const LAST_CHANGE = 12 * 3600;

/**
 * The commit that a change is compared with: `CHANGED_SINCE`; else where this branch left the main one; on the main branch the last commit
 * that is twelve hours older than its head. The oldest commit there is if none is that old.
 */
function baseOfChange(): string {
  const given = process.env["CHANGED_SINCE"];
  if (given) return given;
  const [head = "HEAD", time = "0"] = (git("log", "-1", "--format=%H %ct")[0] ?? "").split(" ");
  const main = git("for-each-ref", "--format=%(refname)", "refs/heads/main", "refs/remotes/origin/main")[0];
  const [base] = main === undefined ? [] : git("merge-base", main, "HEAD");
  if (base !== undefined && base !== head) return base;
  const [before] = git("rev-list", "-1", `--before=${Number(time) - LAST_CHANGE}`, "HEAD");
  return before ?? (git("rev-list", "--max-parents=0", "HEAD").at(-1) as string);
}

/** Files that differ from the base of the change, including uncommitted and untracked ones. */
const changedFiles = (): string[] => [
  ...git("diff", "--name-only", "--no-renames", baseOfChange()),
  ...git("ls-files", "--others", "--exclude-standard"),
];

/** What a command line asks for. */
export interface Wanted {
  /** Modules, files and globs; none means everything. */
  words: readonly string[];
  tier: Tier;
  /** Only what a change can break. */
  changed: boolean;
  /** Only what the first tier does not have: its files, and those that do more in the second. */
  rest: boolean;
}

/** The distance of a file that takes its size from the tier through at most two helpers. */
const THROUGH_A_HELPER = 3;

/** Files that take their size from the tier: they import it, or a helper of theirs does. */
function filesOfTwoSizes(graph: ImportGraph): Set<string> {
  const distances = distancesFrom(["test/support/tier.ts"], graph);
  return new Set([...distances].filter(([, distance]) => distance <= THROUGH_A_HELPER).map(([file]) => file));
}
/**
 * Resolves a command line to test files, in order: by name, or for a change the likeliest to break first. A file that is named is taken
 * whatever its tier.
 * @throws Error for a word that matches no test
 */
export function selected({ words, tier, changed, rest }: Wanted): string[] {
  const everything = globSync(EVERYTHING, { cwd: ROOT }).sort();
  const all = tier === "all" ? everything : everything.filter((file) => !isDeep(file));
  const folders = readFolders();
  const named = words.flatMap((word) => {
    if (everything.includes(word)) return [word];
    const found = /[/*.]/.test(word) ? testsBelow(globSync(word, { cwd: ROOT }), all) : testsOfWord(word, all, folders);
    if (found.length === 0) throw new Error(`'${word}' is no module, file or pattern that has tests`);
    return found;
  });
  const files = words.length > 0 ? [...new Set(named)].sort() : all;
  if (!changed && !rest) return files;
  const graph = readImportGraph(ROOT);
  const sized = rest ? filesOfTwoSizes(graph) : null;
  const kept = sized ? files.filter((file) => isDeep(file) || sized.has(file)) : files;
  return changed ? testsOfChanges(changedFiles(), kept, graph) : kept;
}

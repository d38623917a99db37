import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { cleanEnvironment, launch, type Spawned } from "../../support/process.ts";

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, "../../..");
/** The file that says that a folder is complete. */
const INSTALLED = "node_modules/.package-lock.json";

/** Longest start of a node in milliseconds, on a machine that is busy with the others. */
const LONGEST_START = 900_000;

/** The commits of the releases, which a clone without tags has too. */
export const RELEASES: Readonly<Record<string, string>> = {
  "0.2": "bceff919",
  "0.3": "580d7cba",
};

/** Whether a commit is in this clone; a shallow one lacks the older ones. */
export const isCloned = (commit: string): Promise<boolean> =>
  run("git", ["-C", ROOT, "cat-file", "-e", `${commit}^{commit}`]).then(
    () => true,
    () => false,
  );

/** A version of the service in a folder, with its own packages. */
export class Release {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** The version that these files are. */
  static readonly present = new Release(ROOT);

  /**
   * The files of a commit, and the packages that its lock names.
   * @param folder a new one, or one that has the commit from an earlier call
   * @throws Error if the packages cannot be installed
   */
  static async of(commit: string, folder: string): Promise<Release> {
    if (!existsSync(path.join(folder, INSTALLED))) {
      await mkdir(folder, { recursive: true });
      const archive = path.join(folder, "release.tar");
      await run("git", ["-C", ROOT, "archive", "--output", archive, commit]);
      await run("tar", ["--extract", "--file", archive, "--directory", folder]);
      await rm(archive);
      const words = ["ci", "--prefer-offline", "--no-audit", "--no-fund"];
      await run("npm", words, { cwd: folder, env: cleanEnvironment(), maxBuffer: 2 ** 26 });
    }
    return new Release(folder);
  }

  /** Imports one of its files. */
  // biome-ignore lint/suspicious/noExplicitAny: another version's file
  load(file: string): Promise<any> {
    return import(path.join(this.folder, file));
  }

  /** Starts a node. @param words patterns of its actors */
  start(environment: Record<string, string>, words: readonly string[]): Promise<Spawned> {
    const main = path.join(this.folder, "main.ts");
    return launch([process.execPath, "--disable-warning=ExperimentalWarning", main, "--actors", ...words], {
      environment,
      cwd: this.folder,
      within: LONGEST_START,
    });
  }

  /**
   * Runs a command of its command line, and gives the JSON of the answer.
   * @throws Error with the output of a command that failed; `code` is its status
   */
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own answer
  async cli(environment: Record<string, string>, ...words: string[]): Promise<any> {
    const flags = ["--disable-warning=ExperimentalWarning", path.join(this.folder, "cli/main.ts")];
    const env = { ...cleanEnvironment(), ...environment };
    const { stdout } = await run(process.execPath, [...flags, ...words, "--json"], { cwd: this.folder, env });
    return JSON.parse(stdout);
  }
}

import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** One changed rule: the file, a text that occurs in it exactly once, and its replacement. */
export type Mutant = readonly [file: string, source: string, replacement: string];

/** The mutants of one file. */
export const of = (file: string, mutants: readonly (readonly [source: string, replacement: string])[]): Mutant[] =>
  mutants.map(([source, replacement]) => [file, source, replacement]);

/** The rules of a module that are checked by mutation. */
export interface MutationCheck {
  readonly mutants: readonly Mutant[];
  /** The files and globs of the tests that must notice. */
  readonly tests: readonly string[];
  /** The part of the mutants that may survive, 0–1. */
  readonly survivors: number;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Copied, so that the mutants stay out of the source. */
const COPIED = ["core", "integrations", "mixins", "services", "test/support", "test/unit"];

/** Whether the tests pass; those named like the changed file go first, as most mutants die there. Without a changed file it prints them. */
function testsPass(folder: string, tests: readonly string[], changed = ""): boolean {
  const mocha = join(ROOT, "node_modules/mocha/bin/mocha.js");
  // As in a worker of the suite: gives a rule that is tested alone the errors it throws.
  const catalogue = join(folder, "core/declare/catalogue/catalogue.ts");
  const name = `${basename(changed, ".ts")}.test.ts`;
  const files = globSync([...tests], { cwd: folder }).sort((one, other) => rank(one, name) - rank(other, name));
  const reporter = changed ? "min" : "dot";
  const args = ["--import", catalogue, mocha, "--bail", "--timeout", "60000", "--reporter", reporter, ...files];
  const run = spawnSync(process.execPath, args, {
    cwd: folder,
    // The properties search as far as they can.
    env: { ...process.env, TEST_TIER: "all" },
    stdio: changed ? "ignore" : "inherit",
    timeout: 240_000, // a mutant that never ends is a dead one
  });
  return run.status === 0;
}

const rank = (file: string, name: string): number => (basename(file) === name ? 0 : 1);

/**
 * Makes each mutant in a temporary copy of the files, one at a time, and runs the unit tests on it.
 * @param only a part of a file name: the mutants of other files are left out
 * @returns the exit code: 1 when too many survive, 2 when a mutant no longer fits its source or the tests are red without one
 */
export function checkMutants({ mutants, tests, survivors: allowed }: MutationCheck, only = ""): number {
  const folder = mkdtempSync(join(tmpdir(), "kantoor-mutants-"));
  try {
    for (const path of COPIED) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    }
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    if (!testsPass(folder, tests)) {
      console.error("the tests are red without a mutant");
      return 2;
    }
    const chosen = mutants.filter(([file]) => file.includes(only));
    const misfits = chosen.filter(([file, source]) => readFileSync(join(folder, file), "utf8").split(source).length !== 2);
    for (const [file, source] of misfits) console.error(`not exactly once in ${file}: ${source}`);
    if (misfits.length > 0) return 2;
    const survivors: Mutant[] = [];
    for (const mutant of chosen) {
      const [file, source, replacement] = mutant;
      const original = readFileSync(join(folder, file), "utf8");
      writeFileSync(
        join(folder, file),
        original.replace(source, () => replacement),
      );
      if (testsPass(folder, tests, file)) survivors.push(mutant);
      writeFileSync(join(folder, file), original);
    }
    for (const [file, source, replacement] of survivors)
      console.log(`survived: ${file}: ${source} -> ${replacement || "(removed)"}`);
    const killed = chosen.length - survivors.length;
    console.log(`${killed}/${chosen.length} mutants killed (${((100 * killed) / chosen.length).toFixed(1)} %)`);
    return survivors.length > chosen.length * allowed ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

import { globSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(import.meta.dirname, "../../..");
const EVERYTHING = "test/{unit,api,start,system}/**/*.test.ts";

/** The test files that the words of the command line mean. */
export function selected(words: readonly string[]): string[] {
  const patterns = words.length > 0 ? words : [EVERYTHING];
  return globSync(patterns, { cwd: ROOT }).sort();
}

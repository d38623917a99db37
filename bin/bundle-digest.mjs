// Says whether the bundle (bin/bundle.mjs) belongs to the files that are here. Plain JavaScript without imports of packages.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";

/** The bundle and its description, below the folder of the service. */
export const BUNDLE = "build/kantoor.mjs";
export const DESCRIPTION = "build/kantoor.json";
/** For each line of the bundle its source and its line there, as two numbers of 32 bits: the source's place in the description, from 1. */
export const LINES = "build/kantoor.lines";
/** What a bundle depends on besides the sources in it. */
const INGREDIENTS = ["bin/bundle.mjs", "package-lock.json"];

/**
 * The digest of the sources in a bundle, by their names and bytes.
 * @param {string} root the folder of the service
 * @param {readonly string[]} files their paths below it, in order
 * @returns {string}
 */
export function digestOf(root, files) {
  const hash = createHash("sha256");
  for (const file of [...INGREDIENTS, ...files]) {
    const bytes = readFileSync(path.join(root, file));
    hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}

/**
 * Whether there is a bundle of exactly the sources that are here. It costs a tenth of a second, and a stale bundle never runs.
 * @param {string} root the folder of the service
 */
export function isBundled(root) {
  try {
    const { digest, files } = JSON.parse(readFileSync(path.join(root, DESCRIPTION), "utf8"));
    return digestOf(root, files) === digest;
  } catch {
    return false;
  }
}

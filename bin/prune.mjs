// Removes from node_modules what a running service never loads. Plain JavaScript without imports of packages.
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Failure } from "./dependencies.mjs";

/** Declarations, sources of TypeScript and Flow, source maps and programs for another runtime (Bare): Node loads none of them from a package. */
const NEVER_LOADED = /\.(?:[cm]?ts|map|flow|bare)$/;
/** Pages for readers, without those that a licence asks to be kept. */
const PAGE = /^(?!licen[cs]e|notice|copying|copyright|third).*\.(?:md|markdown)$/i;
/** The one file that imports clients of Google, with the folder that holds a client of each API. */
const GOOGLE_IMPORTS = "mixins/google/apis.ts";
const GOOGLE_APIS = "node_modules/googleapis/build/src/apis";

/**
 * Removes the clients of Google's APIs that no source imports, declarations, source maps and pages for readers.
 * @param {string} root the folder of the service, whose packages were installed without those of developers
 * @returns {{ bytes: number, files: number }} what was removed
 * @throws {Failure} if developers' packages are there, because their checks need the declarations
 */
export function prune(root) {
  const packages = path.join(root, "node_modules");
  if (!existsSync(packages)) throw new Failure("Nothing is installed: run npm ci --omit=dev first.");
  if (existsSync(path.join(packages, "typescript")))
    throw new Failure(
      "The packages of developers are installed, and their checks need what this removes: run npm ci --omit=dev first.",
    );
  const imports = readFileSync(path.join(root, GOOGLE_IMPORTS), "utf8").matchAll(/googleapis\/build\/src\/apis\/(\w+)\//g);
  const used = new Set([...imports].map(([, api]) => api));
  const apis = path.join(root, GOOGLE_APIS);
  const unused = namesIn(apis).filter((entry) => entry.isDirectory() && !used.has(entry.name));
  const files = [
    ...unused.flatMap(({ name }) => filesBelow(path.join(apis, name))),
    ...filesBelow(packages).filter((file) => NEVER_LOADED.test(file) || PAGE.test(path.basename(file))),
  ];
  const sizes = new Map(files.map((file) => [file, statSync(file).size]));
  for (const file of sizes.keys()) rmSync(file);
  for (const { name } of unused) rmSync(path.join(apis, name), { recursive: true });
  return { files: sizes.size, bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0) };
}

const namesIn = (folder) => (existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []);

/** The files in a folder and in those below it, without links. */
const filesBelow = (folder) =>
  namesIn(folder).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(file) : entry.isFile() ? [file] : [];
  });

if (process.argv[1] === fileURLToPath(import.meta.url))
  try {
    const { bytes, files } = prune(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
    process.stdout.write(`Removed ${files} files that the service never loads, ${Math.round(bytes / 1e6)} MB.\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Failure ? error.message : error.stack}\n`);
    process.exitCode = 1;
  }

// Loaded with `--import` where a bundle of these sources is there: every import of a source that is in it, from wherever, gets what the bundle
// has of it. So a module that is not in the bundle uses the same core. Plain JavaScript without imports of packages.
import { readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import { BUNDLE, DESCRIPTION, LINES } from "./bundle-digest.mjs";

const ROOT = path.dirname(import.meta.dirname);
const PREFIX = `${pathToFileURL(ROOT).href}/`;
const BUNDLE_PLACE = new RegExp(`${RegExp.escape(PREFIX + BUNDLE)}:(\\d+):\\d+`);
const require = createRequire(import.meta.url);
const names = JSON.parse(readFileSync(path.join(ROOT, DESCRIPTION), "utf8")).files;
const files = new Set(names);
let modules;
const loaded = new Map();

/** What a source of the bundle exports; undefined for a file that is not in it. */
function exportsOf(file) {
  if (!files.has(file)) return undefined;
  modules ??= require(path.join(ROOT, BUNDLE)).modules;
  if (!loaded.has(file)) loaded.set(file, modules[file]());
  return loaded.get(file);
}

/** The text of a module that exports what a source of the bundle does. */
function standIn(file) {
  const exported = Object.keys(exportsOf(file)).filter((name) => name !== "default");
  const hasDefault = Object.hasOwn(exportsOf(file), "default");
  return [
    `const source = globalThis[Symbol.for("kantoor.bundle")](${JSON.stringify(file)});`,
    `export const { ${exported.join(", ")} } = source;`,
    hasDefault ? "export default source.default;" : "",
  ].join("\n");
}

let lines;
/** A line of a stack, with source and line where it names the bundle. */
const placed = (frame) =>
  frame.replace(BUNDLE_PLACE, (whole, line) => {
    lines ??= new Uint32Array(new Uint8Array(readFileSync(path.join(ROOT, LINES))).buffer);
    const at = 2 * (line - 1);
    return lines[at] ? `${PREFIX}${names[lines[at] - 1]}:${lines[at + 1]}` : whole;
  });

/** The first lines of a stack, as V8 writes them. */
function titleOf(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return "<error>";
  }
}

// Threads load few sources, and each its own.
if (isMainThread) {
  globalThis[Symbol.for("kantoor.bundle")] = exportsOf;
  Error.prepareStackTrace = (error, frames) =>
    [titleOf(error), ...frames.map((frame) => `    at ${placed(String(frame))}`)].join("\n");
  registerHooks({
    load(url, context, next) {
      const file = url.startsWith(PREFIX) ? decodeURIComponent(url.slice(PREFIX.length)) : "";
      if (!files.has(file)) return next(url, context);
      return { format: "module", source: standIn(file), shortCircuit: true };
    },
  });
}

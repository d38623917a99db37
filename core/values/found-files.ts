import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = path.join(import.meta.dirname, "../..");
const require = createRequire(import.meta.url);

/** What the bundle has of a source (bin/bundled.mjs), undefined for a file that is not in it; undefined itself without a bundle. */
const bundled = (globalThis as Record<symbol, unknown>)[Symbol.for("kantoor.bundle")] as
  | ((file: string) => object | undefined)
  | undefined;

/** Loads a source that was found by its name: from the bundle, or where it is in none, from its file. @param file absolute path */
export const importFound = async <T extends object>(file: string): Promise<T> =>
  (bundled?.(path.relative(ROOT, file)) ?? (await import(pathToFileURL(file).href))) as T;

/** The same without waiting. The file and its imports must have no `await` outside functions. */
export const requireFound = <T extends object>(file: string): T => (bundled?.(path.relative(ROOT, file)) ?? require(file)) as T;

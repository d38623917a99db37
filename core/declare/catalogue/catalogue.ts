import { globSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { ModuleManifest } from "../module.ts";
import { awaited } from "./awaited.ts";
import { type Catalogue, DeclarationRefused, type Declared } from "./entries.ts";
import kernel from "./kernel.ts";
import { merge } from "./merge.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const require = createRequire(import.meta.url);

/** The manifests of a folder's `module.ts`. */
function manifestsIn(file: string): Declared[] {
  const { default: given } = require(path.join(ROOT, file)) as { default: ModuleManifest | readonly ModuleManifest[] };
  return [given].flat().map((manifest) => ({ manifest: manifest as ModuleManifest, source: file }));
}

/** @throws DeclarationRefused for a folder with actors but no manifest, so that the module they belong to is unknown */
function requireManifests(files: readonly string[]): void {
  const declared = new Set(files.map((file) => path.dirname(file)));
  for (const actor of globSync("{services,integrations}/*/**/*.service.ts", { cwd: ROOT })) {
    const folder = actor.split(path.sep).slice(0, 2).join("/");
    if (!declared.has(folder)) throw new DeclarationRefused(`${folder} has actors but no module.ts that declares them.`);
  }
}

function load(): Catalogue {
  const files = globSync("{services,integrations}/*/module.ts", { cwd: ROOT }).sort();
  requireManifests(files);
  return merge(
    [{ manifest: kernel, source: "core/declare/catalogue/kernel.ts" }, ...files.flatMap(manifestsIn)],
    awaited.map((manifest) => ({ manifest, source: "core/declare/catalogue/awaited.ts" })),
  );
}

let merged: Catalogue | undefined;

/**
 * The declarations of all modules, found by folder and merged on first use, which a node does first when it starts. Modules that are not
 * built yet are in `awaited.ts`.
 * @throws DeclarationRefused with a one-sentence message if they do not fit together
 */
export const catalogue = (): Catalogue => (merged ??= load());

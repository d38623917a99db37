import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Model } from "./model.ts";
import { COMPILER, type Packed, packedFile, ROOT } from "./pack.ts";
import { typescriptOf } from "./typescript.ts";

const SOURCE = path.join(ROOT, "sdk/typescript");

/**
 * Writes the TypeScript client into a folder, compiles it, and packs it as npm would publish it.
 *
 * Its generated sources are 1 MB, so they are made here and never stored with the sources.
 */
export function packTypescript(model: Model, folder: string): Packed {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.join(folder, "src/generated"), { recursive: true });
  cpSync(path.join(SOURCE, "src"), path.join(folder, "src"), { recursive: true });
  for (const [name, text] of Object.entries(typescriptOf(model))) writeFileSync(path.join(folder, "src/generated", name), text);
  for (const name of ["README.md", "tsconfig.json"]) copyFileSync(path.join(SOURCE, name), path.join(folder, name));
  copyFileSync(path.join(ROOT, "LICENSE"), path.join(folder, "LICENSE"));
  const manifest = JSON.parse(readFileSync(path.join(SOURCE, "package.json"), "utf8"));
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify({ ...manifest, version: model.version }, null, 2)}\n`);
  // The compiler finds the dependency here, wherever the folder is.
  symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  execFileSync(process.execPath, [COMPILER, "--project", folder], { stdio: ["ignore", process.stderr.fd, "inherit"] });
  return packedFile(folder);
}

import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Model } from "./model.ts";
import { typescriptOf } from "./typescript.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const SOURCE = path.join(ROOT, "sdk/typescript");
const COMPILER = path.join(ROOT, "node_modules/typescript/bin/tsc");

/** A package that was made. */
export interface Packed {
  file: string;
  /** Bytes of the packed file. */
  size: number;
}

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
  const packed = execFileSync("npm", ["pack", "--json", "--ignore-scripts"], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  // npm 11 answers with a list, npm 12 with an object by the name of the package.
  const [{ filename }] = Object.values(JSON.parse(packed)) as [{ filename: string }];
  const file = path.join(folder, filename);
  return { file, size: statSync(file).size };
}

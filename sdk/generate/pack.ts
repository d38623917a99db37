import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import path from "node:path";

export const ROOT = path.join(import.meta.dirname, "../..");
export const COMPILER = path.join(ROOT, "node_modules/typescript/bin/tsc");

/** A package that was made. */
export interface Packed {
  file: string;
  /** Bytes of the packed file. */
  size: number;
}

/** Packs a folder as npm would publish it. */
export function packedFile(folder: string): Packed {
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

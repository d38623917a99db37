import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { commandsOf } from "./cli.ts";
import type { Model } from "./model.ts";
import { COMPILER, type Packed, packedFile, ROOT } from "./pack.ts";

const SOURCE = path.join(ROOT, "sdk/cli");

/**
 * Writes the command line into a folder, compiles it with its table of commands, and packs it as npm would publish it.
 *
 * It needs the TypeScript client of the same version, which is a package of its own.
 */
export function packCli(model: Model, folder: string): Packed {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(path.join(SOURCE, "src"), path.join(folder, "src"), { recursive: true });
  for (const name of ["README.md", "tsconfig.json"]) copyFileSync(path.join(SOURCE, name), path.join(folder, name));
  copyFileSync(path.join(ROOT, "LICENSE"), path.join(folder, "LICENSE"));
  const { version } = model;
  const manifest = JSON.parse(readFileSync(path.join(SOURCE, "package.json"), "utf8"));
  const dependencies = { ...manifest.dependencies, "@kantoor/sdk": version };
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify({ ...manifest, version, dependencies }, null, 2)}\n`);
  symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  execFileSync(process.execPath, [COMPILER, "--project", folder], { stdio: ["ignore", process.stderr.fd, "inherit"] });
  chmodSync(path.join(folder, "dist/main.js"), 0o755);
  writeFileSync(path.join(folder, "dist/commands.json"), JSON.stringify(commandsOf(model)));
  return packedFile(folder);
}

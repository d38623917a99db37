import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Model } from "./model.ts";
import type { Packed } from "./pack.ts";
import { pythonOf } from "./python.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const SOURCE = path.join(ROOT, "sdk/python");

/**
 * Writes the Python client into a folder and makes a wheel of it. `PYTHON` names the Python to do that with, by default `python3`; it
 * needs pip, and setuptools or a registry to get it from.
 */
export function packPython(model: Model, folder: string): Packed {
  rmSync(folder, { recursive: true, force: true });
  const modules = path.join(folder, "src/kantoor");
  mkdirSync(modules, { recursive: true });
  cpSync(path.join(SOURCE, "src/kantoor"), modules, { recursive: true, filter: (file) => !file.endsWith("__pycache__") });
  const source = readFileSync(path.join(modules, "client_async.py"), "utf8");
  for (const [name, text] of Object.entries(pythonOf(model, source))) writeFileSync(path.join(modules, name), text);
  copyFileSync(path.join(SOURCE, "README.md"), path.join(folder, "README.md"));
  copyFileSync(path.join(ROOT, "LICENSE"), path.join(folder, "LICENSE"));
  const project = readFileSync(path.join(SOURCE, "pyproject.toml"), "utf8");
  writeFileSync(path.join(folder, "pyproject.toml"), project.replace(/^version = ".*"$/m, `version = "${model.version}"`));
  const python = process.env["PYTHON"] ?? "python3";
  const pip = (...words: string[]) =>
    execFileSync(python, ["-m", "pip", "--disable-pip-version-check", "-q", ...words], {
      cwd: folder,
      stdio: ["ignore", process.stderr.fd, "inherit"],
    });
  pip("wheel", "--no-deps", "--wheel-dir", folder, ".");
  const file = path.join(folder, readdirSync(folder).find((name) => name.endsWith(".whl")) as string);
  return { file, size: statSync(file).size };
}

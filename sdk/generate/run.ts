// Makes the clients of the API and the command line for its users, and packs them.
//   npm run sdk [typescript|python|cli …] [-- --document FILE] [-- --out FOLDER]
// Without a document it starts the service on an empty folder and reads its own. By default the packages are in build/sdk.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { codegenDocument } from "../../services/api/openapi/openapi-codegen.ts";
import type { Document } from "./document.ts";
import { modelOf } from "./model.ts";
import { packCli } from "./pack-cli.ts";
import { packPython } from "./pack-python.ts";
import { packTypescript } from "./pack-typescript.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const PACKERS = { typescript: packTypescript, python: packPython, cli: packCli };
type Language = keyof typeof PACKERS;

/** The document of the service as these sources have it. */
function ownDocument(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "kantoor-sdk-"));
  // PostgreSQL's own account has to reach the data.
  chmodSync(folder, 0o711);
  try {
    const file = path.join(folder, "openapi.json");
    execFileSync(process.execPath, [path.join(ROOT, ".ci/document.mjs"), path.join(folder, "data"), file], { stdio: "inherit" });
    return readFileSync(file, "utf8");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { document: { type: "string" }, out: { type: "string" } },
});
const unknown = positionals.filter((one) => !Object.hasOwn(PACKERS, one));
if (unknown.length > 0) {
  process.stderr.write(`There is no package for ${unknown.join(", ")}: ${Object.keys(PACKERS).join(", ")}.\n`);
  process.exit(2);
}
const text = values.document ? readFileSync(values.document, "utf8") : ownDocument();
// The form for generators; a document that has it already stays as it is.
const model = modelOf(codegenDocument(JSON.parse(text)) as Document);
const out = path.resolve(values.out ?? path.join(ROOT, "build/sdk"));
for (const language of (positionals.length > 0 ? positionals : Object.keys(PACKERS)) as Language[]) {
  const { file, size } = PACKERS[language](model, path.join(out, language));
  process.stdout.write(`${language}: ${model.operations.length} operations in ${file}, ${Math.round(size / 1000)} kB\n`);
}

import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";
import { nextStepNumber } from "../../migrations/run.ts";
import { type NewKind, newFiles, writeNew } from "./generate.ts";
import { integrationNames, moduleNames } from "./names.ts";
import { GenerationRefused } from "./refused.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const BIOME = path.join(ROOT, "node_modules/@biomejs/biome/bin/biome");
const USAGE = `npm run new -- module <plural> [--singular <word>] [--dutch <plural>]
    writes the module of docs/modules.md with your name
npm run new -- integration <provider>
    writes the integration of docs/integrations.md with the name of your provider`;

/** @throws GenerationRefused with the usage for unknown words and options */
function readWords(words: string[]) {
  try {
    const options = { singular: { type: "string" }, dutch: { type: "string" } } as const;
    const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true });
    const [kind, name, ...rest] = positionals;
    if ((kind !== "module" && kind !== "integration") || name === undefined || rest.length > 0) throw new Error("");
    if (kind === "integration" && Object.keys(values).length > 0)
      throw new Error("An integration has neither plural nor singular.");
    return { kind, name, ...values } as { kind: NewKind; name: string; singular?: string; dutch?: string };
  } catch (error) {
    throw new GenerationRefused(`${(error as Error).message}\n${USAGE}`.trimStart());
  }
}

/** Formats what was written: other names make lines longer or shorter. */
function format(files: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [BIOME, "check", "--write", ...files], { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) throw new Error(`biome: ${stderr}`);
}

try {
  const { kind, name, singular, dutch } = readWords(process.argv.slice(2));
  const names = kind === "module" ? moduleNames(name, { singular, dutch }) : integrationNames(name);
  const files = newFiles(kind, names, nextStepNumber());
  writeNew(ROOT, files);
  format(files.map(({ file }) => file));
  const isUnnamed = kind === "module" && dutch === undefined;
  process.stdout.write(`Written:
${files.map(({ file }) => `  ${file}\n`).join("")}${isUnnamed ? "Give the permissions in module.ts their Dutch names.\n" : ""}Next:
  npm run schema -- baseline     so that new installations begin with your ${kind === "module" ? "table" : "tables"}
  SERVICES_WRITE=1 npm test -- test/api/${name}
  npm run check
docs/${kind}s.md explains each file.
`);
} catch (error) {
  if (!(error instanceof GenerationRefused)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

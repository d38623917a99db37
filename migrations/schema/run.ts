import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { BASELINE_FOLDER } from "../baseline.ts";
import { knownSteps } from "../run.ts";
import { baselineFiles } from "./baseline-files.ts";
import { onScratch } from "./scratch.ts";

const USAGE = `npm run schema -- baseline   writes migrations/baseline from the steps
`;

/** Writes the files of the baseline, and removes those of modules that have no tables any more. */
async function writeBaseline(): Promise<string> {
  const files = await onScratch(true, (client) => baselineFiles(client, knownSteps()));
  mkdirSync(BASELINE_FOLDER, { recursive: true });
  for (const old of globSync("*.sql", { cwd: BASELINE_FOLDER })) rmSync(path.join(BASELINE_FOLDER, old));
  for (const [file, text] of files) writeFileSync(path.join(BASELINE_FOLDER, file), text);
  return `migrations/baseline has ${files.size} files, of the steps up to ${knownSteps().at(-1)}.`;
}

const COMMANDS: Readonly<Record<string, () => Promise<string>>> = { baseline: writeBaseline };

const [name = ""] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (command) process.stdout.write(`${await command()}\n`);
else {
  process.stderr.write(USAGE);
  process.exitCode = 2;
}

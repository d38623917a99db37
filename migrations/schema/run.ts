import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { readConfig } from "../../core/config/config.ts";
import { setRuntime } from "../../core/config/runtime.ts";
import { allModels } from "../../core/database/model.ts";
import { BASELINE_FOLDER } from "../baseline.ts";
import { knownSteps, nextStepNumber } from "../run.ts";
import { baselineFiles } from "./baseline-files.ts";
import { columnsOfTables, type Difference, differencesOf } from "./differences.ts";
import { onScratch } from "./scratch.ts";
import { skeletonOf } from "./skeleton.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const USAGE = `npm run schema -- baseline     writes migrations/baseline from the steps
npm run schema -- check        compares the models with the schema that the steps make
npm run schema -- step <name>  writes a step with the statements that bring the schema to the models
`;

/** Why a command did not succeed, in sentences for the person who typed it. */
class Failed extends Error {}

/** Writes the files of the baseline, and removes those of modules that have no tables any more. */
async function writeBaseline(): Promise<string> {
  const files = await onScratch(true, (client) => baselineFiles(client, knownSteps()));
  mkdirSync(BASELINE_FOLDER, { recursive: true });
  for (const old of globSync("*.sql", { cwd: BASELINE_FOLDER })) rmSync(path.join(BASELINE_FOLDER, old));
  for (const [file, text] of files) writeFileSync(path.join(BASELINE_FOLDER, file), text);
  return `migrations/baseline has ${files.size} files, of the steps up to ${knownSteps().at(-1)}.`;
}

/** Loads every model, and compares it with the schema. */
async function differences(): Promise<Difference[]> {
  // Actors read settings where they declare their jobs; none of them is started.
  setRuntime({
    config: readConfig({}),
    scheme: "http",
    version: "",
    gitSha: "",
    builtAt: null,
    migrations: [],
    secret: "",
    publicPort: undefined,
  });
  for (const file of globSync("{services,integrations}/**/*.service.ts", { cwd: ROOT }).sort())
    await import(pathToFileURL(path.join(ROOT, file)).href);
  return differencesOf([...allModels().values()], await onScratch(false, columnsOfTables));
}

/** Writes nothing if the models and the schema agree, as a compiler does. @throws Failed with the differences */
async function check(): Promise<string> {
  const found = await differences();
  if (found.length === 0) return "";
  const way = skeletonOf(found) === null ? "" : "\n`npm run schema -- step <name>` writes a step with what is missing.";
  throw new Failed(`The models and the schema differ:\n${found.map(({ sentence }) => `  ${sentence}`).join("\n")}${way}`);
}

/** @throws Failed if the name is no name of a step, or no statement is needed */
async function writeStep(name = ""): Promise<string> {
  if (!/^[a-z]+(-[a-z0-9]+)*$/.test(name)) throw new Failed("A step has a name of small letters, such as `notes-of-contacts`.");
  const text = skeletonOf(await differences());
  if (text === null) throw new Failed("No statement would bring the models and the schema together: `npm run schema -- check`.");
  const file = `migrations/${nextStepNumber()}-${name}.ts`;
  writeFileSync(path.join(ROOT, file), text);
  return `${file} has what the models need: complete it, then run \`npm run schema -- baseline\`.`;
}

const COMMANDS: Readonly<Record<string, (name?: string) => Promise<string>>> = {
  baseline: writeBaseline,
  check,
  step: writeStep,
};

const [command = "", name] = process.argv.slice(2);
const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
try {
  if (!run) throw new Failed(USAGE.trimEnd());
  const line = await run(name);
  if (line !== "") process.stdout.write(`${line}\n`);
} catch (error) {
  if (!(error instanceof Failed)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = run ? 1 : 2;
}

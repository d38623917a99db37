import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { catalogue } from "../../core/declare/catalogue/catalogue.ts";
import { type DescribedFile, filesOf } from "./chapters.ts";
import { type Replacements, renamed } from "./names.ts";
import { GenerationRefused } from "./refused.ts";

/** The chapters whose examples are the text of what is written. */
const CHAPTERS = { module: "## Adding a module", integration: "## The integration Pulse" } as const;
/** What can be written. */
export type NewKind = keyof typeof CHAPTERS;

/** Identifiers of the code that is written: one of them as its name would hide it. */
const identifiersIn = (files: readonly DescribedFile[], replacements: Replacements): Set<string> => {
  const own = new Set(replacements.map(([from]) => from));
  return new Set(
    files.flatMap(({ text }) => [...text.matchAll(/\b[a-z]\w*\b/g)].map(([word]) => word)).filter((word) => !own.has(word)),
  );
};

/** What modules that exist call by a name, in words; undefined for a free name. */
function ownerOf(name: string): string | undefined {
  const { built, modules, tags } = catalogue();
  const owner = built.find(
    ({ manifest: { tables = [], records = {} } }) => tables.includes(name) || Object.hasOwn(records, name),
  );
  if (owner) return `a table or kind of record of ${owner.source}`;
  const isModule = built.some(({ source }) => source.split("/")[1] === name) || modules.some(({ module }) => module === name);
  if (isModule) return "a module";
  return Object.hasOwn(tags, name) ? "the first part of the paths of a module" : undefined;
}

/**
 * The files of a new module or integration, as its chapter has them.
 * @param number of its migration
 * @throws GenerationRefused for a name that is taken, or that the code uses for something else
 */
export function newFiles(kind: NewKind, replacements: Replacements, number: string): DescribedFile[] {
  const files = filesOf(CHAPTERS[kind]);
  const identifiers = identifiersIn(files, replacements);
  for (const [from, to] of replacements) {
    if (!/^[a-z]/.test(from)) continue;
    const owner = ownerOf(to);
    if (owner !== undefined) throw new GenerationRefused(`'${to}' exists already: it is ${owner}.`);
    if (identifiers.has(to))
      throw new GenerationRefused(`The code that is written uses '${to}' for something else: take another name.`);
  }
  return files.map(({ file, text }) => ({
    file: renamed(file, replacements).replace("NNNN", number),
    text: renamed(text, replacements),
  }));
}

/** Writes files that are not there yet. @throws GenerationRefused before the first is written if one of them exists */
export function writeNew(root: string, files: readonly DescribedFile[]): void {
  const existing = files.find(({ file }) => existsSync(path.join(root, file)));
  if (existing) throw new GenerationRefused(`${existing.file} exists already, and nothing is overwritten.`);
  for (const { file, text } of files) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(root, file), text, { flag: "wx" });
  }
}

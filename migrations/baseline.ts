import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import type pg from "pg";

/** The folder of the baseline: a file for each module, with the statements that make its tables. */
export const BASELINE_FOLDER = path.join(import.meta.dirname, "baseline");
/** PostgreSQL has no room for the locks of one transaction over all tables. */
const OUT_OF_LOCKS = "53200";
/** The application role, where a file of the baseline grants it something. */
const APPLICATION = /(?<!:):application\b/g;

/** Sections in the order in which the statements of all modules are sent; a file has those that its module needs. */
export const SECTION_TITLES = [
  "extensions, schemas, collations and domains",
  "functions",
  "tables",
  "functions of rows",
  "keys and indexes",
  "views",
  "references",
  "triggers",
  "row-level security",
  "comments",
  "grants",
  "rows",
] as const;
export type SectionTitle = (typeof SECTION_TITLES)[number];

/** How a section begins in a file. */
export const sectionLine = (title: SectionTitle): string => `-- # ${title}`;

/** The texts of the sections of a file, by title. */
function sectionsOf(text: string): Map<string, string> {
  const [, ...parts] = text.split(/^-- # (.*)$/m);
  return new Map(parts.flatMap((part, at) => (at % 2 === 0 ? [[part, parts[at + 1] as string] as const] : [])));
}

/** The statements of the baseline by section, in the order in which they are sent. */
function baselineTexts(): string[] {
  const files = globSync("*.sql", { cwd: BASELINE_FOLDER }).sort();
  const modules = files.map((file) => sectionsOf(readFileSync(path.join(BASELINE_FOLDER, file), "utf8")));
  return SECTION_TITLES.map((title) => modules.map((sections) => sections.get(title) ?? "").join(""));
}

/**
 * Makes the schema of a new installation in one transaction: the tables of all modules as the steps leave them, and the names of these steps.
 * A start that breaks off leaves nothing.
 * @param application quoted name of the application role
 * @returns false if the server has too few locks for one transaction; then nothing is there, and the steps make the schema
 */
export async function applyBaseline(client: pg.Client, application: string): Promise<boolean> {
  await client.query("begin");
  try {
    // Functions name each other and tables that come later.
    await client.query("set local check_function_bodies = off");
    for (const text of baselineTexts()) await client.query(text.replace(APPLICATION, () => application));
    await client.query("commit");
    return true;
  } catch (error) {
    await client.query("rollback");
    if ((error as { code?: string }).code === OUT_OF_LOCKS) return false;
    throw error;
  }
}

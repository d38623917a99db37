import type pg from "pg";
import { catalogue } from "../../core/declare/catalogue/catalogue.ts";
import kernel from "../../core/declare/catalogue/kernel.ts";
import { SECTION_TITLES, type SectionTitle, sectionLine } from "../baseline.ts";
import { SECTION_QUERIES } from "./definitions.ts";

/** One statement of a schema. */
interface Statement {
  section: SectionTitle;
  /** The object that it makes or describes. */
  name: string;
  /** The table it belongs to; null for what belongs to none, such as a function. */
  table: string | null;
  sql: string;
}

/** The file of what belongs to no module, or to several. */
const CORE = kernel.key;
/** The rows that steps insert, by table. */
const SEEDS: Readonly<Record<string, string>> = { installation: "insert into installation default values;" };
const HEADER = "-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.";

/**
 * Reads the statements that make the schema of a migrated database.
 * @throws Error if the steps inserted rows that `SEEDS` does not list
 */
async function statementsOfSchema(client: pg.Client): Promise<Statement[]> {
  // Names in `public` stay short, and all others are qualified.
  await client.query("set search_path = public");
  const found: Statement[] = [];
  for (const section of SECTION_TITLES) {
    if (section === "rows") continue;
    const { rows } = await client.query<Omit<Statement, "section">>(SECTION_QUERIES[section]);
    found.push(
      ...rows.map(({ name, table, sql }) => ({ section, name, table, sql: withListedTexts(withComparedRows(sql.trim())) })),
    );
  }
  const filled: string[] = [];
  for (const { section, name } of found) {
    if (section !== "tables") continue;
    const { rows } = await client.query<{ filled: boolean }>(`select exists (select from ${name}) as filled`);
    if (rows[0]?.filled) filled.push(name);
  }
  if (filled.join() !== Object.keys(SEEDS).join())
    throw new Error(`The steps fill ${filled.join(", ")}: add what a new installation needs to SEEDS in migrations/schema.`);
  return found;
}

/**
 * A trigger that fires when one of several columns changes, as its step wrote it: PostgreSQL stores the comparison of two rows as nested
 * conditions, and its own text of them has another form when it is read again.
 */
function withComparedRows(sql: string): string {
  const [, condition = ""] =
    /WHEN \((?:\(\(current_setting\(.*?\) IS DISTINCT FROM 'on'::text\) AND )?(.*?)\)?\) EXECUTE/.exec(sql) ?? [];
  if (!condition.includes(")) OR (")) return sql;
  const columns = condition
    .replace(/[()]/g, "")
    .split(" OR ")
    .map((one) => /^old\.(\w+) IS DISTINCT FROM new\.\1$/.exec(one)?.[1]);
  if (columns.includes(undefined)) return sql;
  const row = (name: string) => `(${columns.map((column) => `${name}.${column}`).join(", ")})`;
  return sql.replace(condition, () => `${row("old")} IS DISTINCT FROM ${row("new")}`);
}

/** A check of a column of the type varchar against texts: PostgreSQL's text of it has another form when it is read again. */
const withListedTexts = (sql: string): string =>
  sql.replace(/\((\(\w+\))::text = ANY \(\(ARRAY\[(.*?)\]\)::text\[\]\)\)/g, (_, column: string, texts: string) => {
    return `(${column} in (${texts.replaceAll("::character varying", "")}))`;
  });

/** The statements of the rows that a new installation begins with: those of the steps, and the names of the steps. */
const rowsOf = (steps: readonly string[]): string[] => [
  ...Object.values(SEEDS),
  `insert into migrations (name) values\n${steps.map((step) => `  ('${step}')`).join(",\n")};`,
];

/** The module that all of these are; undefined if there is none, or several. */
const onlyModule = (modules: readonly string[]): string | undefined => (new Set(modules).size === 1 ? modules[0] : undefined);

/**
 * Finds the module of functions and views by name: the only one whose triggers call them, or else whose tables they name.
 * @param moduleOf the module of a table
 */
function modulesOfFunctions(statements: readonly Statement[], moduleOf: (table: string) => string): Map<string, string> {
  const tables = new Set(statements.flatMap(({ section, name }) => (section === "tables" ? [name] : [])));
  const triggers = statements.filter(({ section }) => section === "triggers");
  const found = new Map<string, string>();
  for (const { name, section, table, sql } of statements) {
    if (table !== null || !(section.startsWith("functions") || section === "views")) continue;
    const called = `function ${name.split("(")[0]}(`;
    const using = triggers
      .filter((trigger) => trigger.sql.toLowerCase().includes(called))
      .map((trigger) => trigger.table as string);
    const named = (sql.match(/\b(?:jobs\.)?[a-z_]+\b/g) ?? []).filter((word) => tables.has(word));
    const only = onlyModule(using.map(moduleOf)) ?? onlyModule(named.map(moduleOf).filter((module) => module !== CORE));
    found.set(name, only ?? CORE);
  }
  return found;
}

/**
 * Writes the schema of a migrated database as the files of the baseline, one for each module.
 * @param client a connection as the role that owns the tables
 * @param steps the steps that made the schema
 * @returns the texts by name of the file
 * @throws Error if the schema has what no statement of the baseline makes
 */
export async function baselineFiles(client: pg.Client, steps: readonly string[]): Promise<Map<string, string>> {
  const statements = await statementsOfSchema(client);
  const owners = new Map(
    catalogue().built.flatMap(({ manifest }) => manifest.tables?.map((table) => [table, manifest.key]) ?? []),
  );
  const moduleOf = (table: string) => owners.get(table) ?? CORE;
  const functions = modulesOfFunctions(statements, moduleOf);
  const fileOf = ({ name, table }: Statement) => `${table === null ? (functions.get(name) ?? CORE) : moduleOf(table)}.sql`;
  const files = Map.groupBy(statements, fileOf);
  const texts = [...files].map(([file, own]) => {
    const sections = Map.groupBy(own, ({ section }) => section);
    const parts = [...sections].map(([title, all]) => [title, all.map(({ sql }) => sql)] as const);
    if (file === `${CORE}.sql`) parts.push(["rows", rowsOf(steps)]);
    return [file, [HEADER, ...parts.map(([title, all]) => `${sectionLine(title)}\n${all.join("\n")}`)].join("\n\n")] as const;
  });
  return new Map(texts.map(([file, text]) => [file, `${text}\n`] as const).sort(([one], [other]) => (one < other ? -1 : 1)));
}

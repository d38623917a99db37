import type pg from "pg";
import type { Model } from "../../core/database/model.ts";
import { WITHOUT_MODEL } from "./without-model.ts";

/** A column as PostgreSQL's catalogue describes it. */
export interface CatalogueColumn {
  table: string;
  name: string;
  type: string;
  nullable: boolean;
  generated: boolean;
  /** Whether it has a default. */
  fallback: boolean;
}

/** One place where a model and the database disagree. */
export interface Difference {
  sentence: string;
  table: string;
  /** The statement that brings the database to the model; undefined where the model, or a list of exceptions, has to change. */
  statement?: string;
}

type ComparedModel = Pick<Model, "table" | "columns">;
type Facts = ComparedModel["columns"][string]["facts"];

const COLUMNS = `
  select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
         a.attgenerated <> '' as generated, a.atthasdef and a.attgenerated = '' as fallback
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace order by c.relname, a.attnum`;

/** The columns of every table of the service, by table. */
export async function columnsOfTables(client: pg.ClientBase): Promise<Map<string, CatalogueColumn[]>> {
  return Map.groupBy((await client.query<CatalogueColumn>(COLUMNS)).rows, ({ table }) => table);
}

/** Columns that every table of an organisation has, as its step makes them. */
const TENANT_COLUMNS: Readonly<Record<string, string>> = {
  id: "id uuid primary key",
  organisation_id: "organisation_id uuid not null references organisations (id)",
  version: "version int not null default 1",
  created_at: "created_at timestamptz not null default now()",
  updated_at: "updated_at timestamptz not null default now()",
};

const definitionOf = (name: string, { type, nullable }: Facts): string => `${name} ${type}${nullable ? "" : " not null"}`;

/** The statement of a table that only a model has. Its indexes, references and checks are the author's. */
function createTable({ table, columns }: ComparedModel): string {
  const lines = Object.entries(columns).map(([name, { facts }]) => TENANT_COLUMNS[name] ?? definitionOf(name, facts));
  const key = columns["organisation_id"] && columns["id"] ? ["unique (organisation_id, id)"] : [];
  return `create table ${table} (\n  ${[...lines, ...key].join(",\n  ")});`;
}

/** Which tables have a model: all, but those listed as having none. */
function differencesOfTables(models: readonly ComparedModel[], tables: readonly string[]): Difference[] {
  const modelled = new Set(models.map(({ table }) => table));
  const listed = (table: string) => Object.hasOwn(WITHOUT_MODEL, table);
  return [
    ...tables.flatMap((table) =>
      modelled.has(table) || listed(table)
        ? []
        : [{ table, sentence: `${table} has no model, and migrations/schema/without-model.ts does not say why` }],
    ),
    ...Object.keys(WITHOUT_MODEL).flatMap((table) => {
      if (modelled.has(table)) return [{ table, sentence: `${table} has a model, and is listed as a table without one` }];
      return tables.includes(table)
        ? []
        : [{ table, sentence: `${table} is listed as a table without a model, and does not exist` }];
    }),
  ];
}

/** A column that both have. */
function differencesOfColumn(table: string, facts: Facts, column: CatalogueColumn): Difference[] {
  const { name, type, nullable, generated, fallback } = column;
  const found: Difference[] = [];
  const differs = (what: string, statement?: string) =>
    found.push({
      table,
      sentence: `${table}.${name} ${what}`,
      ...(statement && { statement: `alter table ${table} ${statement};` }),
    });
  if (type !== facts.type)
    differs(`is ${type} in the database, and ${facts.type} in the model`, `alter column ${name} type ${facts.type}`);
  if (nullable !== facts.nullable)
    differs(
      nullable ? "may be null in the database, and not in the model" : "may be null in the model, and not in the database",
      `alter column ${name} ${nullable ? "set" : "drop"} not null`,
    );
  if (generated && facts.source !== "database") differs("is generated, so its model has to say byDatabase()");
  // The platform makes ids wherever the table makes none.
  else if (facts.source === "optional" && name !== "id" && !nullable && !fallback)
    differs("may be left out of an insert, and has no default: the step or the model has to change");
  else if (facts.source === "given" && fallback) differs("must be given, and has a default", `alter column ${name} drop default`);
  const isSecret = type === "sealed" || /_(hash|digest)$/.test(name);
  if (isSecret !== facts.secret)
    differs(
      isSecret ? "holds a secret, which its model does not say" : "is a secret of its model, and neither sealed nor a hash",
    );
  return found;
}

/** The columns of a table that has a model. */
function differencesOfModel({ table, columns }: ComparedModel, stored: readonly CatalogueColumn[]): Difference[] {
  const names = new Set(stored.map(({ name }) => name));
  const missing = Object.entries(columns).filter(([name]) => !names.has(name));
  return [
    ...missing.map(([name, { facts }]) => ({
      table,
      sentence: `${table}.${name} is a column of the model alone`,
      statement: `alter table ${table} add column ${definitionOf(name, facts)};`,
    })),
    ...stored.flatMap((column) => {
      const facts = columns[column.name]?.facts;
      if (facts) return differencesOfColumn(table, facts, column);
      const sentence = `${table}.${column.name} is a column of the database alone`;
      return [{ table, sentence, statement: `alter table ${table} drop column ${column.name};` }];
    }),
  ];
}

/**
 * Compares the models with the database's own catalogue: which tables have a model, and of each column its name, type, whether it may be
 * null, who fills it, and whether it is a secret.
 * @param tables the columns by table, as `columnsOfTables` returns them
 */
export function differencesOf(
  models: readonly ComparedModel[],
  tables: ReadonlyMap<string, readonly CatalogueColumn[]>,
): Difference[] {
  return [
    ...differencesOfTables(models, [...tables.keys()]),
    ...models.flatMap((model) => {
      const stored = tables.get(model.table);
      if (stored) return differencesOfModel(model, stored);
      return [{ table: model.table, sentence: `${model.table} is a table of its model alone`, statement: createTable(model) }];
    }),
  ];
}

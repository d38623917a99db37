import { conflict, type refusal } from "../declare/errors.ts";
import { request } from "../request/context.ts";
import { type Model, newId } from "./model.ts";
import { enqueue, query } from "./query.ts";
import { seal, sealedColumns } from "./sealed.ts";
import { type Row, type Statement, statement } from "./statement.ts";

/** Values of a row by column name; undefined is "not sent". */
export type Values = Record<string, unknown>;

interface Table {
  name: string;
  json: Set<string>;
  sealed: Set<string>;
  columns: Set<string>;
  inserts: Map<string, Statement>;
  updates: Map<string, Statement>;
}

const tables = new WeakMap<object, Table>();

function tableOf(model: Model): Table {
  let table = tables.get(model);
  if (!table) {
    const attributes = Object.entries(model.getAttributes());
    table = {
      name: model.getTableName() as string,
      json: new Set(
        attributes.filter(([, { type }]) => /^JSON/.test((type as { key?: string }).key ?? "")).map(([column]) => column),
      ),
      sealed: new Set(sealedColumns(model)),
      columns: new Set(attributes.map(([column]) => column)),
      inserts: new Map(),
      updates: new Map(),
    };
    tables.set(model, table);
  }
  return table;
}

const memo = (known: Map<string, Statement>, key: string, make: () => string): Statement => {
  let found = known.get(key);
  if (!found) {
    found = statement(make());
    known.set(key, found);
  }
  return found;
};

/** A value as it is stored in the row `id` of the running organisation. */
function encoded(table: Table, column: string, value: unknown, id: string): unknown {
  if (value === null || value === undefined) return value;
  if (table.sealed.has(column))
    return seal(value as string, { table: table.name, column, organisation: request().organisation.id, row: id });
  return table.json.has(column) ? JSON.stringify(value) : value;
}

const known = (table: Table, values: Values): string[] =>
  Object.keys(values).filter((column) => {
    if (!table.columns.has(column)) throw new TypeError(`${table.name} has no column ${column}`);
    return values[column] !== undefined;
  });

/**
 * Inserts one row of the running organisation as a prepared statement; id and organisation are filled in. It is sent with the next read
 * or the commit. Sequelize's `create` costs about six times the CPU, so the writes every request makes go this way.
 * @returns the row's id
 */
export function insert(model: Model, values: Values): string {
  const table = tableOf(model);
  const row: Values = { id: newId(), ...values, organisation_id: request().organisation.id };
  const columns = known(table, row);
  const text = memo(table.inserts, columns.join(), () => {
    const slots = columns.map((_, index) => `$${index + 1}`);
    return `insert into ${table.name} (${columns.join(", ")}) values (${slots.join(", ")})`;
  });
  const id = row["id"] as string;
  enqueue(
    text,
    columns.map((column) => encoded(table, column, row[column], id)),
  );
  return id;
}

/** Changes one row by id, counts its version up and stamps it. It is sent with the next read or the commit. */
export function update(model: Model, id: string, values: Values): void {
  const table = tableOf(model);
  const columns = known(table, values);
  const text = memo(table.updates, columns.join(), () => {
    const sets = columns.map((column, index) => `${column} = $${index + 3}`);
    return `update ${table.name} set ${[...sets, "version = version + 1", "updated_at = statement_timestamp()"].join(", ")}
            where organisation_id = $1 and id = $2`;
  });
  enqueue(text, [request().organisation.id, id, ...columns.map((column) => encoded(table, column, values[column], id))]);
}

/** Marks a row as changed although only its links were: its version and `updated_at` move (conventions §10). */
export const touch = (model: Model, id: string): void => update(model, id, {});

/** Removes one row by id. It is sent with the next read or the commit. */
export function remove(model: Model, id: string): void {
  const table = tableOf(model);
  const text = memo(table.updates, "delete", () => `delete from ${table.name} where organisation_id = $1 and id = $2`);
  enqueue(text, [request().organisation.id, id]);
}

/**
 * The row as stored, locked until the transaction ends, or undefined when it is not there or not visible.
 * @param visible extra SQL condition on alias `t`, with its values from `$3` on
 */
export async function lock(
  model: Model,
  id: string,
  visible = "true",
  values: readonly unknown[] = [],
): Promise<Row | undefined> {
  const table = tableOf(model);
  const text = memo(table.updates, `lock ${visible}`, () => {
    return `select t.* from ${table.name} t where t.organisation_id = $1 and t.id = $2 and ${visible} for update`;
  });
  return (await query(text, [request().organisation.id, id, ...values]))[0];
}

/** What a unique constraint means to a caller. */
export type Conflicts = Record<string, () => ReturnType<typeof refusal>>;
const conflicts = new Map<string, Conflicts[string]>();

/** Tells what a violated constraint means; declared beside the model. */
export function explainConstraints(meanings: Conflicts): void {
  for (const [constraint, meaning] of Object.entries(meanings)) conflicts.set(constraint, meaning);
}

/** Turns a violated constraint into the refusal declared for it; without a declaration a duplicate is a plain conflict. */
export function explained(error: unknown): unknown {
  const { code, constraint } = error as { code?: string; constraint?: string };
  if (code === "23505" || code === "23503") return (conflicts.get(constraint ?? "") ?? (() => conflict()))();
  return error;
}

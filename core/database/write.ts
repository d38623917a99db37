import { isDeepStrictEqual } from "node:util";
import { conflict } from "../errors/errors.ts";
import { request } from "../request/context.ts";
import { type Statement, statement } from "../sql/statement.ts";
import { blankToNull } from "../values/text.ts";
import { columns, type InsertOf, type Model, newId, type RowOf, type UpdateOf, violationOf } from "./model.ts";
import { enqueue, queryOne } from "./query.ts";
import { seal } from "./sealed.ts";

/** Values of a row by column name; undefined means "not sent". */
export type Values = Record<string, unknown>;
/** Values without unknown columns: TypeScript itself does not check a spread object. */
type Exactly<V, Allowed> = V & { readonly [Name in Exclude<keyof V, keyof Allowed>]: never };

interface Compiled {
  inserts: Map<string, Statement>;
  updates: Map<string, Statement>;
}

const compiled = new WeakMap<Model, Compiled>();

function statementsOf(model: Model): Compiled {
  let known = compiled.get(model);
  if (!known) compiled.set(model, (known = { inserts: new Map(), updates: new Map() }));
  return known;
}

const memo = (known: Map<string, Statement>, key: string, make: () => string): Statement => {
  let found = known.get(key);
  if (!found) {
    found = statement(make());
    known.set(key, found);
  }
  return found;
};

/** A value as stored in row `id` of the current organisation. */
function encoded({ table, columns }: Model, name: string, value: unknown, id: string): unknown {
  if (value === null || value === undefined) return value;
  const type = columns[name]?.facts.type;
  if (type === "sealed") return seal(value as string, { table, column: name, organisation: request().organisation.id, row: id });
  return type === "jsonb" ? JSON.stringify(value) : value;
}

/** The columns with a value. Their names become SQL, so they are checked here too, not only by TypeScript. */
const given = ({ table, columns }: Model, values: Values): string[] =>
  Object.keys(values).filter((name) => {
    if (!Object.hasOwn(columns, name)) throw new TypeError(`${table} has no column ${name}`);
    return values[name] !== undefined;
  });

/**
 * Inserts one row of the current organisation as a prepared statement, with id and organisation filled in. It is sent with the next read
 * or the commit.
 * @param computed SQL by column, for values that only PostgreSQL knows; never text of a caller
 * @returns the row's id
 */
export function queueInsert<M extends Model, const V extends InsertOf<M>>(
  model: M,
  values: Exactly<V, InsertOf<M>>,
  computed: Readonly<Record<string, string>> = {},
): string {
  const row: Values = { id: newId(), ...values, organisation_id: request().organisation.id };
  const names = given(model, row);
  const added = given(model, computed);
  const text = memo(statementsOf(model).inserts, [...names, ...added.map((name) => `${name} ${computed[name]}`)].join(), () => {
    const slots = [...names.map((_, index) => `$${index + 1}`), ...added.map((name) => computed[name])];
    return `insert into ${model.table} (${[...names, ...added].join(", ")}) values (${slots.join(", ")})`;
  });
  const id = row["id"] as string;
  enqueue(
    text,
    names.map((name) => encoded(model, name, row[name], id)),
  );
  return id;
}

/** Changes one row by id, increments its version and sets `updated_at`. It is sent with the next read or the commit. */
export function queueUpdate<M extends Model, const V extends UpdateOf<M>>(
  model: M,
  id: string,
  values: Exactly<V, UpdateOf<M>>,
): void {
  change(model, id, values);
}

function change(model: Model, id: string, values: Values): void {
  const names = given(model, values);
  const text = memo(statementsOf(model).updates, names.join(), () => {
    const sets = names.map((name, index) => `${name} = $${index + 3}`);
    return `update ${model.table} set ${[...sets, "version = version + 1", "updated_at = statement_timestamp()"].join(", ")}
            where organisation_id = $1 and id = $2`;
  });
  enqueue(text, [request().organisation.id, id, ...names.map((name) => encoded(model, name, values[name], id))]);
}

/** Marks a row as changed when only its links were: updates its version and `updated_at` (conventions §10). */
export const touch = (model: Model, id: string): void => change(model, id, {});

/** The values that differ from a stored row, or null if none do; undefined means "not sent". */
export function differences<V extends object>(before: object, values: V): Partial<V> | null {
  const stored = before as Values;
  const changed = Object.entries(values).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(stored[name], value),
  );
  return changed.length === 0 ? null : (Object.fromEntries(changed) as Partial<V>);
}

/** The values without nulls, for writes in which null leaves a column unchanged, like a value that was not sent. */
export const withoutNulls = <V extends object>(values: V) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as { [Name in keyof V]: NonNullable<V[Name]> };

/** The values with null for blank texts, in the columns where the model requires it. */
export function withoutBlanks<V extends Values>({ blankIsNull }: Model, values: V): V {
  const blank = blankIsNull.filter((name) => typeof values[name] === "string" && blankToNull(values[name]) === null);
  return blank.length === 0 ? values : { ...values, ...Object.fromEntries(blank.map((name) => [name, null])) };
}

/** Deletes one row by id. The statement is sent with the next read or the commit. */
export function queueRemove(model: Model, id: string): void {
  const text = memo(
    statementsOf(model).updates,
    "delete",
    () => `delete from ${model.table} where organisation_id = $1 and id = $2`,
  );
  enqueue(text, [request().organisation.id, id]);
}

/**
 * The row as stored, locked until the transaction ends, or undefined if it does not exist or is not visible.
 * @param visible extra SQL condition on alias `t`, with its values from `$3` on
 */
export async function lock<M extends Model>(
  model: M,
  id: string,
  visible = "true",
  values: readonly unknown[] = [],
): Promise<RowOf<M> | undefined> {
  const text = memo(statementsOf(model).updates, `lock ${visible}`, () => {
    return `select ${columns(model, "t")} from ${model.table} t
            where t.organisation_id = $1 and t.id = $2 and ${visible} for update`;
  });
  return queryOne<RowOf<M>>(text, [request().organisation.id, id, ...values]);
}

/** Translates a violated constraint into its declared error; an undeclared one is a plain conflict. */
export function explained(error: unknown): unknown {
  const { code, constraint } = error as { code?: string; constraint?: string };
  if (code === "23505" || code === "23503") return (violationOf(constraint ?? "") ?? conflict)();
  return error;
}

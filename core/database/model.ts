import { randomFillSync } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import type { ApiError } from "../errors/errors.ts";
import { type ChangedIn, type Columns, column, type HeldBy, type InsertedInto } from "./column.ts";

export { column };

/** What a violated constraint means to the caller, by the constraint's name. */
export type Violations = Readonly<Record<string, () => ApiError>>;

/** A table, described once: rows, writes, column lists, tracked fields and the Sequelize model are derived from it. */
export interface Model<C extends Columns = Columns> {
  readonly table: string;
  readonly columns: C;
  /** The columns a row shows, in declaration order: all except those that PostgreSQL alone maintains. */
  readonly shown: readonly string[];
  /** The columns whose changes the trail records. */
  readonly tracked: readonly string[];
  /** The columns where a blank text is stored as null. */
  readonly blankIsNull: readonly string[];
  /** What its violated constraints mean, and those of its link tables. */
  readonly violations: Violations;
}

/** A model as it is defined, before it is used. */
interface Definition<C extends Columns> extends Model<C> {
  /**
   * Declares the errors of violated unique and foreign keys of this table, and of link tables, which have no model of their own. One
   * without a declaration is a plain conflict. A violated check is a fault: validation has to reject such a value first.
   */
  whenViolated(violations: Violations): Model<C>;
}

/** The columns of a model that anything may read: no sealed or hashed secrets, and none that PostgreSQL maintains for itself. */
export const readable = ({ shown, columns }: Model): string[] => shown.filter((name) => !columns[name]?.facts.secret);

/** A stored row of a model. */
export type RowOf<M extends Model> = HeldBy<M["columns"]>;
/** A stored row without the columns of every tenant table. */
export type OwnOf<M extends Model> = Omit<RowOf<M>, keyof typeof tenantColumns>;
/** The values of an insert into a model. */
export type InsertOf<M extends Model> = InsertedInto<M["columns"]>;
/** The values of an update of a model. */
export type UpdateOf<M extends Model> = Omit<ChangedIn<M["columns"]>, keyof typeof tenantColumns>;

/** The columns of every tenant table; `version` counts the states of a row and is its ETag. */
const tenantColumns = {
  id: column.uuid().withDefault(),
  organisation_id: column.uuid().byPlatform(),
  version: column.integer().withDefault(),
  created_at: column.instant().withDefault(),
  updated_at: column.instant().withDefault(),
};

const models = new Map<string, Model>();
const meanings = new Map<string, () => ApiError>();

/** The models this process has loaded, by table. */
export const allModels = (): ReadonlyMap<string, Model> => models;

/** The declared meaning of a violated constraint, if a loaded model has one. */
export const violationOf = (constraint: string): (() => ApiError) | undefined => meanings.get(constraint);

/** Defines the model of a table from all its columns. A migration creates the table itself. */
export function model<C extends Columns>(table: string, columns: C): Definition<C> {
  const names = (wanted: (facts: C[string]["facts"]) => boolean) =>
    Object.entries(columns).flatMap(([name, { facts }]) => (wanted(facts) ? [name] : []));
  const made: Definition<C> = {
    table,
    columns,
    shown: names(({ source }) => source !== "database"),
    tracked: names(({ tracked }) => tracked),
    blankIsNull: names(({ blankIsNull }) => blankIsNull),
    violations: {},
    whenViolated(violations) {
      for (const [constraint, meaning] of Object.entries(violations)) meanings.set(constraint, meaning);
      return Object.assign(made, { violations });
    },
  };
  models.set(table, made);
  return made;
}

/** Defines the model of a tenant table: the shared columns plus its own. */
export const tenantModel = <C extends Columns>(table: string, columns: C) => model(table, { ...tenantColumns, ...columns });

/** The columns of a model as a select list, with an optional alias. They are named, so it never includes a column added later. */
export const columns = ({ shown }: Pick<Model, "shown">, alias?: string): string =>
  shown.map((name) => (alias === undefined ? name : `${alias}.${name}`)).join(", ");

/** Random bytes for the next ids: asking the system for those of each id took longer than everything else. */
const random = { bytes: new Uint8Array(16 * 256), at: 16 * 256 };
/** The millisecond of the last id, and the sequence number within it. */
const last = { msecs: 0, seq: 0 };

/** A new row id: UUID version 7, so rows close in time are close in the index; each id is greater than the previous one. */
export function newId(): string {
  if (random.at === random.bytes.length) {
    randomFillSync(random.bytes);
    random.at = 0;
  }
  const own = random.bytes.subarray(random.at, (random.at += 16));
  const now = Date.now();
  if (now > last.msecs) {
    last.msecs = now;
    // The first of the 32 bits starts at zero, so no millisecond runs out of numbers.
    last.seq = new DataView(own.buffer, own.byteOffset).getUint32(0) >>> 1;
  } else last.seq += 1;
  return uuidv7({ random: own, ...last });
}

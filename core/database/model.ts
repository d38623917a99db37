import { randomFillSync } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { type ChangedIn, type Columns, column, type HeldBy, type InsertedInto } from "./column.ts";

export { column };

/** A table, described once: rows, writes, column lists, the trail's fields and the Sequelize model follow from it. */
export interface Model<C extends Columns = Columns> {
  readonly table: string;
  readonly columns: C;
  /** The columns a row shows, in the order they are declared: all but those PostgreSQL alone keeps. */
  readonly shown: readonly string[];
  /** The columns whose change the trail records. */
  readonly tracked: readonly string[];
  /** The columns where a blank text is stored as null. */
  readonly blankIsNull: readonly string[];
}

/** A stored row of a model. */
export type RowOf<M extends Model> = HeldBy<M["columns"]>;
/** A stored row without what every tenant table has. */
export type OwnOf<M extends Model> = Omit<RowOf<M>, keyof typeof tenantColumns>;
/** What an insert of a model takes. */
export type InsertOf<M extends Model> = InsertedInto<M["columns"]>;
/** What an update of a model takes. */
export type UpdateOf<M extends Model> = Omit<ChangedIn<M["columns"]>, keyof typeof tenantColumns>;

/** The columns every tenant table has; `version` counts the states of a row and is its ETag. */
const tenantColumns = {
  id: column.uuid().withDefault(),
  organisation_id: column.uuid().byPlatform(),
  version: column.integer().withDefault(),
  created_at: column.instant().withDefault(),
  updated_at: column.instant().withDefault(),
};

const models = new Map<string, Model>();

/** The models this process has loaded, by table. */
export const allModels = (): ReadonlyMap<string, Model> => models;

/** Defines the model of a table from all of its columns. The table itself is made by a migration. */
export function model<C extends Columns>(table: string, columns: C): Model<C> {
  const names = (wanted: (facts: C[string]["facts"]) => boolean) =>
    Object.entries(columns).flatMap(([name, { facts }]) => (wanted(facts) ? [name] : []));
  const made = {
    table,
    columns,
    shown: names(({ source }) => source !== "database"),
    tracked: names(({ tracked }) => tracked),
    blankIsNull: names(({ blankIsNull }) => blankIsNull),
  };
  models.set(table, made);
  return made;
}

/** Defines the model of a tenant table: the shared columns plus its own. */
export const tenantModel = <C extends Columns>(table: string, columns: C) => model(table, { ...tenantColumns, ...columns });

/** The columns of a model for a select list, behind an alias where there are others: a column that a later version adds is not in it. */
export const columns = ({ shown }: Pick<Model, "shown">, alias?: string): string =>
  shown.map((name) => (alias === undefined ? name : `${alias}.${name}`)).join(", ");

/** Random bytes of the next ids: to ask the system for those of each took longer than all the rest. */
const random = { bytes: new Uint8Array(16 * 256), at: 16 * 256 };
/** The millisecond of the last id, and its place in it. */
const last = { msecs: 0, seq: 0 };

/** A new row id: UUID version 7, so that neighbours in time are neighbours in the index; each is greater than the one before. */
export function newId(): string {
  if (random.at === random.bytes.length) {
    randomFillSync(random.bytes);
    random.at = 0;
  }
  const own = random.bytes.subarray(random.at, (random.at += 16));
  const now = Date.now();
  if (now > last.msecs) {
    last.msecs = now;
    // Of 32 bits the first stays free, so that no millisecond has too few.
    last.seq = new DataView(own.buffer, own.byteOffset).getUint32(0) >>> 1;
  } else last.seq += 1;
  return uuidv7({ random: own, ...last });
}

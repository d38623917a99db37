import type { CustomEntityType } from "../custom-fields/definitions.ts";
import type { Values } from "../database/write.ts";
import type { TProperties } from "../declare/schema.ts";
import type { Field } from "./field.ts";

/** What is wrong with a row: an error key per column, `_` for the row as a whole. */
export type Refused = Record<string, string>;
/** What became of a row. */
export type Outcome = "created" | "updated" | "unchanged" | Refused;

/** An import on its way: everything its rows are about has been looked up and locked. */
export interface Opened {
  /** Writes one row by the rules every other path obeys, or says why not. May throw the refusal itself. */
  write(index: number): Promise<Outcome>;
  /** Looks at the result of all rows together. Gives what has to be refused after all, by index. */
  finish?(): Promise<ReadonlyMap<number, Refused>>;
}

/** A kind of record that travels as a spreadsheet. Everything about it that differs from another kind stands here. */
export interface ImpexEntity {
  /** Singular, as in `/impex/company`. */
  name: string;
  /** Plural, as in `import companies`. */
  plural: string;
  /** Permission to read such records, which an export needs beside `impex.export`. */
  read: string;
  /** Permission to write them, which an import needs beside `impex.import`. */
  write: string;
  /** Permissions a file needs as well because of columns it has. */
  needs?(columns: ReadonlySet<string>): readonly string[];
  /** Whose custom fields are columns too. */
  custom?: CustomEntityType;
  fields: readonly Field[];
  /** How rows find their records, as one sentence for people. */
  matching: string;
  /**
   * Looks up and locks what the rows are about, in a number of statements that does not grow with them. Values are by field; those of custom
   * fields stand under `custom`, and only those that the file gives.
   */
  open(rows: readonly Values[]): Promise<Opened>;
  /** Filters of an export: those of the list. */
  filters: TProperties;
  /** Error codes those filters answer with. */
  refusals?: readonly string[];
  /** The ids of what the caller may see, in the order of the export's key. */
  ids(filters: Record<string, unknown>): Promise<string[]>;
  /** The records with these ids in their order, by field; those that are gone are left out. */
  rows(ids: readonly string[]): Promise<Values[]>;
}

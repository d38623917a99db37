import type { CustomEntityType } from "../custom-fields/definitions.ts";
import type { Values } from "../database/write.ts";
import type { TProperties } from "../declare/schema.ts";
import type { Field } from "./field.ts";

/** What is wrong with a row: an error key per column, `_` for the row as a whole. */
export type Refused = Record<string, string>;
/** What became of a row. */
export type Outcome = "created" | "updated" | "unchanged" | Refused;

/**
 * The rows of a file that could be read, in its order. Values are by field; those of custom fields stand under `custom`, and only those
 * that the file gives. Each is read anew when it is asked for, so that a hundred thousand of them need no room.
 */
export interface ImportRows extends Iterable<Values> {
  readonly length: number;
  at(index: number): Values;
}

/** An import on its way: everything its rows are about has been looked up and locked. */
export interface Opened {
  /** Reads what the rows from one to before another change, all at once, right before they are written. */
  load?(from: number, to: number): Promise<void>;
  /** Writes one row by the rules every other path obeys, or says why not. May throw the refusal itself. */
  write(index: number): Promise<Outcome>;
  /** Looks at the result of all rows together. Gives what has to be refused after all, by index. */
  finish?(): Promise<ReadonlyMap<number, Refused>>;
  /** Records of another kind that were made for the rows. */
  alsoCreated?(): number;
  /** Places of rows that become records although others carry their name, and no key tells them apart. */
  namesakes?: readonly number[];
  /** By column, the words that would have named something that is there. */
  words?: Readonly<Record<string, readonly string[]>>;
}

/** Something an import does only when it is asked to. */
export interface ImportSwitch {
  /** As a query parameter; a command's option has dashes. */
  key: string;
  about: string;
  /** Permissions it needs beside those of the import. */
  needs: readonly string[];
}

/** A kind of record that leaves as a spreadsheet. */
export interface ExportEntity {
  /** Singular, as in `/impex/company`. */
  name: string;
  /** Plural, as in `import companies`. */
  plural: string;
  /** Permission to read such records, which an export needs beside `impex.export`. */
  read: string;
  /** Whose custom fields are columns too. */
  custom?: CustomEntityType;
  fields: readonly Field[];
  /** Filters of an export: those of the list. */
  filters: TProperties;
  /** The filters under which the list shows the operator everything there is; none where it does without. */
  everything?: Readonly<Record<string, unknown>>;
  /** Error codes those filters answer with. */
  refusals?: readonly string[];
  /** The ids of what the caller may see, in the order of the export's key. */
  ids(filters: Record<string, unknown>): Promise<string[]>;
  /** The records with these ids in their order, by field; those that are gone are left out. */
  rows(ids: readonly string[]): Promise<Values[]>;
}

/** A kind of record that travels both ways as a spreadsheet. Everything about it that differs from another kind stands here. */
export interface ImpexEntity extends ExportEntity {
  /** Permission to write them, which an import needs beside `impex.import`. */
  write: string;
  /** Permissions a file needs as well because of columns it has. */
  needs?(columns: ReadonlySet<string>): readonly string[];
  /** How rows find their records, as one sentence for people. */
  matching: string;
  /**
   * What tells rows apart beside their id: columns that a record has alone, and those that name it. Without it equal rows are different records:
   * hours that were worked twice.
   */
  identity?: { keys: readonly string[]; names: readonly string[] };
  switches?: readonly ImportSwitch[];
  /**
   * Moves values of a row to the fields that have room for them. @returns the row, by field what there is no room for, and, where the row is about
   * another kind of record and is left out, what it is called
   */
  arrange?(row: Values): {
    values: Values;
    left: readonly (readonly [field: string, value: string])[];
    skipped?: readonly [field: string, name: string];
  };
  /**
   * Looks up and locks what the rows are about, in a number of statements that does not grow with them.
   * @param switched the switches that are on
   */
  open(rows: ImportRows, switched: ReadonlySet<string>): Promise<Opened>;
}

import type { CustomEntityType } from "../custom-fields/values.ts";
import type { Values } from "../database/write.ts";
import type { TProperties } from "../schema/schema.ts";
import type { Field } from "./field.ts";
import type { KnownColumns, WordsOfFile } from "./known-words.ts";

declare module "../declare/module.ts" {
  interface RecordDeclaration {
    /** Such records can be imported and exported as spreadsheets, also from the command line. */
    sheet?: () => Promise<ImpexEntity>;
  }
}

/** The value of a row that names no client: the client that the caller names for new records. A stored one keeps its own. */
export const FILED_UNDER = "filed_under";

/** The errors of a row: an error key per column, `_` for the row as a whole. */
export type Refused = Record<string, string>;
/** The outcome of a row. */
export type Outcome = "created" | "updated" | "unchanged" | Refused;

/**
 * The readable rows of a file, in its order. Values are by field; custom values are under `custom`, and only those in the file. Each access
 * parses the row again, so that a hundred thousand rows need little memory. Iterating over them lets other work in.
 */
export interface ImportRows extends AsyncIterable<Values> {
  readonly length: number;
  at(index: number): Values;
}

/** A running import: its related records have been looked up and locked. */
export interface Opened {
  /** Reads the records of the rows `from` to before `to`, all at once, right before their write. */
  load?(from: number, to: number): Promise<void>;
  /** Writes one row by the rules of every other path, or returns its errors. It may also throw the API error. */
  write(index: number): Promise<Outcome>;
  /** Checks the result of all rows together. Returns late errors, by index. */
  finish?(): Promise<ReadonlyMap<number, Refused>>;
  /** Number of records of other kinds that were created for the rows. */
  alsoCreated?(): number;
  /** Indexes of rows that become records although others have the same name, and no key distinguishes them. */
  namesakes?: readonly number[];
  /** The fields that also decided about another one, which the rows lack. */
  taken?: readonly { field: string; as: string }[];
  /** By column, the words that would have matched an existing record. */
  words?: Readonly<Record<string, readonly string[]>>;
}

/** An optional step of an import. */
export interface ImportSwitch {
  /** Name of the query parameter; the command's option has dashes. */
  key: string;
  about: string;
  /** Permissions in addition to those of the import. */
  needs: readonly string[];
}

/** A kind of record that can be exported as a spreadsheet. */
export interface ExportEntity {
  /** Singular, as in `/impex/company`. */
  name: string;
  /** Plural, as in `import companies`. */
  plural: string;
  /** Permission to read these records, required in addition to `impex.export`. */
  read: string;
  /** Entity type whose custom fields become columns. */
  custom?: CustomEntityType;
  fields: readonly Field[];
  /** Columns of an export that depend on its records, after all others: one statement. */
  further?(ids: readonly string[]): Promise<readonly Field[]>;
  /** Filters of an export, the same as the list's. */
  filters: TProperties;
  /** The filters that make the list show the operator all records; absent if it needs none. */
  everything?: Readonly<Record<string, unknown>>;
  /** Error codes of the filters. */
  refusals?: readonly string[];
  /** The ids of the records that the caller sees, in the order of the export's key. */
  ids(filters: Record<string, unknown>): Promise<string[]>;
  /** The records with these ids in the same order, by field; omits deleted ones. */
  rows(ids: readonly string[]): Promise<Values[]>;
}

/** A kind of record that can be imported and exported. It contains everything that differs between kinds. */
export interface ImpexEntity extends ExportEntity {
  /** Permission to write these records, required in addition to `impex.import`. */
  write: string;
  /** Additional permissions for certain columns of a file. */
  needs?(columns: ReadonlySet<string>): readonly string[];
  /**
   * Stores what the organisation gets on its first use of these records, such as its initial statuses. Runs in a transaction of its own,
   * before the rows': others would wait for the rows' commit.
   */
  firstUse?(): Promise<unknown>;
  /** The matching of rows to records, as one sentence for people. */
  matching: string;
  /**
   * The columns that distinguish rows in addition to the id: unique keys and names. Without it, equal rows are different records, such as
   * hours worked twice.
   */
  identity?: { keys: readonly string[]; names: readonly string[] };
  switches?: readonly ImportSwitch[];
  /** True if a caller may name the client of new records whose rows name none (see `FILED_UNDER`). */
  filesUnder?: true;
  /** The columns that name labels, types, statuses, members and providers, and what they may name: `unknown` decides about the rest. */
  known?: { columns: readonly string[]; open(file: WordsOfFile): Promise<KnownColumns> };
  /**
   * Moves values of a row to fields that have space for them. @returns the row, the values without a field as `left`, and, for a row about
   * another kind of record, its name as `skipped`; in `kept`, parts of cells that one of the fields has taken after all
   */
  arrange?(row: Values): {
    values: Values;
    left: readonly (readonly [field: string, value: string])[];
    skipped?: readonly [field: string, name: string];
    kept?: ReadonlySet<string>;
  };
  /**
   * Looks up and locks the records related to the rows, with a constant number of statements.
   * @param switched keys of the enabled switches
   */
  open(rows: ImportRows, switched: ReadonlySet<string>): Promise<Opened>;
}

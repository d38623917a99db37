import type { Row } from "../../core/database.ts";
import type { Check } from "../../core/schema.ts";
import type { Values } from "../../core/write.ts";
import type { Match } from "./matching.ts";

export type StoredRow = Row & { id: string };

/** A kind of record that can be imported. Everything about it that differs from another kind stands here. */
export interface ImportEntity {
  /** Plural, as in `import companies`. */
  name: string;
  /** Fields a file can fill. */
  fields: readonly string[];
  /** Fields without which no record can be made. */
  required: readonly string[];
  /** The fields that matching refuses a row on. */
  identity: { number: string; name: string };
  checkCreate: Check;
  checkUpdate: Check;
  /** Finds and locks what the rows are about, in a number of statements that does not grow with them. */
  match(rows: readonly Values[]): Promise<Match<StoredRow>[]>;
  /** Makes a record by the rules every other path obeys. */
  create(values: Values): Promise<unknown>;
  /** Changes a locked record by the same rules. Gives whether anything changed. */
  change(before: StoredRow, values: Values): Promise<boolean>;
}

import type { Values } from "../database/write.ts";
import type { Static, TSchema } from "../schema/schema.ts";
import { type CheckFor, compileBody, ofChange } from "../schema/validation.ts";
import type { Reader } from "./readers.ts";

declare module "../declare/module.ts" {
  interface BulkDeclaration {
    /** Loads the keys and the code that writes a row. */
    load: () => Promise<BulkEntity>;
  }
}

/** A key that a bulk update can set. */
export interface BulkKey {
  /** The field of the ordinary update. */
  field: string;
  /** Reads its text. */
  read: Reader;
  /** Null and blank texts clear the field; without this they are rejected. */
  clearable?: true;
}

/** The effect of a bulk update on one row. */
export interface BulkUpdate {
  keys: Readonly<Record<string, BulkKey>>;
  /** Changes one row by the rules of the ordinary update, or throws its error. @param values by field */
  write(id: string, values: Values): Promise<unknown>;
}

/** A kind of record with bulk updates and deletes: everything that differs between kinds. */
export interface BulkEntity {
  /** As in "Delete many companies at once". */
  plural: string;
  /**
   * Finds the rows that exist for the caller, in one statement. It locks them in the order of their ids, so that two calls for the same
   * rows run one after another (`lockedRows`).
   */
  seen(ids: readonly string[]): Promise<readonly { id: string }[]>;
  update?: BulkUpdate;
  /** Deletes one row by the rules of the ordinary delete, or throws its error. */
  remove(id: string): Promise<unknown>;
}

/**
 * A bulk update that writes each row with the ordinary update.
 * @param body of the ordinary update, which validates each row's values
 */
export function bulkUpdate<B extends TSchema>(
  keys: BulkUpdate["keys"],
  body: B,
  write: (id: string, values: Static<B>) => Promise<unknown>,
): BulkUpdate {
  const check: CheckFor<B> = compileBody(ofChange(body), false);
  return {
    keys,
    async write(id, given) {
      const values: unknown = { ...given };
      check(values);
      await write(id, values);
    },
  };
}

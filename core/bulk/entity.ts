import type { Values } from "../database/write.ts";
import { type CheckFor, compileBody, ofChange, type Static, type TSchema } from "../declare/schema.ts";
import type { Reader } from "./readers.ts";

/** A key that a bulk update may set. */
export interface BulkKey {
  /** The field of the ordinary update that it fills. */
  field: string;
  /** What its text may be. */
  read: Reader;
  /** Null and blank texts clear the field; elsewhere they are refused. */
  clearable?: true;
}

/** What a bulk update does to one row. */
export interface BulkUpdate {
  keys: Readonly<Record<string, BulkKey>>;
  /** Changes one row by the rules of the ordinary update, or throws its refusal. @param values by field */
  write(id: string, values: Values): Promise<unknown>;
}

/** A kind of record that is changed and deleted many at once: everything about it that differs from another kind stands here. */
export interface BulkEntity {
  /** As in "Delete many companies at once". */
  plural: string;
  /**
   * Which of the rows are there for the caller, in one statement; they are locked in the order of their ids, so that two calls about the same
   * rows come one after another (`lockedRows`).
   */
  seen(ids: readonly string[]): Promise<readonly { id: string }[]>;
  update?: BulkUpdate;
  /** Deletes one row by the rules of the ordinary delete, or throws its refusal. */
  remove(id: string): Promise<unknown>;
}

/**
 * A bulk update whose rows are written as the ordinary update writes one.
 * @param body what the ordinary update takes: each row's values are checked as a body is
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

import { SyncTooOldError } from "./errors.ts";
import { type AnyPage, type DeletedRow, nextOf, type Page, type ReadPage, rowsOf, type Walk } from "./listing.ts";

/** One change of a list. */
export type Change<Item> =
  /** The row is new, or has changed. */
  | { kind: "saved"; row: Item }
  /** The row is gone (`deleted`), or the caller no longer sees it (`left_view`). */
  | { kind: "deleted"; id: string; reason: string }
  /** The service cannot tell what has changed since: empty the copy; all rows follow. */
  | { kind: "restarted" };

export interface ChangesOptions {
  /** `until` of the round before; without it the round has all rows. */
  since?: string | undefined;
  /** Kind of the rows in `GET /deleted`, such as `company`. Without it the round has no deleted rows. */
  deleted?: string | undefined;
}

const BEGINNING = "1970-01-01T00:00:00Z";
/** Rows of a page of deleted ones. */
const DELETED_ROWS = 200;

/** One round of a copy. Walk it once; then `until` is set. */
export class Changes<Item> implements AsyncIterable<Change<Item>> {
  readonly #read: ReadPage<AnyPage<Item> | Item[]>;
  readonly #readDeleted: ReadPage<Page<DeletedRow>>;
  readonly #walk: Walk;
  readonly #options: ChangesOptions;
  #until: string | undefined;
  constructor(
    read: ReadPage<AnyPage<Item> | Item[]>,
    readDeleted: ReadPage<Page<DeletedRow>>,
    walk: Walk,
    options: ChangesOptions,
  ) {
    this.#read = read;
    this.#readDeleted = readDeleted;
    this.#walk = walk;
    this.#options = options;
  }

  /** The instant for `since` of the next round. @throws Error before the round was walked to its end */
  get until(): string {
    if (this.#until === undefined) throw new Error("`until` is known once all changes of the round were read.");
    return this.#until;
  }

  async *#saved(since: string): AsyncGenerator<Change<Item>, string, undefined> {
    const walk = { ...this.#walk, updated_since: since, sort: undefined, offset: undefined };
    let answer = await this.#read(walk);
    for (;;) {
      for (const row of rowsOf<Item>(answer.data)) yield { kind: "saved", row };
      const cursor = nextOf(answer.data);
      if (cursor === null) {
        const until = answer.response.headers.get("updated-until");
        if (until === null) throw new Error("The service did not say until when the changes were read (`Updated-Until`).");
        return until;
      }
      answer = await this.#read({ ...walk, cursor });
    }
  }

  async *#deleted(kind: string, since: string): AsyncGenerator<Change<Item>, void, undefined> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { data } = await this.#readDeleted({ entity_type: kind, since, limit: DELETED_ROWS, cursor });
      for (const { id, reason } of data.items) yield { kind: "deleted", id, reason };
      cursor = data.next_cursor;
    }
  }

  async *#round(since: string): AsyncGenerator<Change<Item>, string, undefined> {
    const until = yield* this.#saved(since);
    // The first copy has none of the deleted rows.
    if (this.#options.deleted !== undefined && since !== BEGINNING) yield* this.#deleted(this.#options.deleted, since);
    return until;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Change<Item>, void, undefined> {
    const { since = BEGINNING } = this.#options;
    this.#until = undefined;
    try {
      this.#until = yield* this.#round(since);
    } catch (error) {
      if (!(error instanceof SyncTooOldError) || since === BEGINNING) throw error;
      yield { kind: "restarted" };
      this.#until = yield* this.#round(BEGINNING);
    }
  }
}

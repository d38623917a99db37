import { Answer, type WithResponse } from "./answer.ts";
import { Changes, type ChangesOptions } from "./changes.ts";

/** One page of a list. */
export interface Page<Item> {
  /** The rows of this page. */
  items: Item[];
  /** Number of rows on all pages; with `count: false` the number on this page. */
  total: number;
  limit: number;
  offset: number;
  /** The `cursor` of the next page; null on the last. */
  next_cursor: string | null;
}

/** What a walk needs of a page; some have neither a total nor an offset. */
export type AnyPage<Item> = Pick<Page<Item>, "items" | "next_cursor">;

/** Reads one page, with parameters in addition to those of the list. */
export type ReadPage<Body> = (parameters: Readonly<Record<string, unknown>>) => Promise<WithResponse<Body>>;

/** The rows of a page, or of a list without pages. */
export const rowsOf = <Item>(body: AnyPage<Item> | Item[]): Item[] => (Array.isArray(body) ? body : body.items);
export const nextOf = (body: object): string | null =>
  "next_cursor" in body && typeof body.next_cursor === "string" ? body.next_cursor : null;

/**
 * A list: await it for one page, or walk all its rows with `for await`.
 *
 * A walk reads pages of 200 rows unless the query has a `limit`, and follows their cursor: a row that stays as it is comes exactly once,
 * however others change meanwhile.
 */
export class Listing<Item, Body extends AnyPage<Item> | Item[] = Page<Item>> extends Answer<Body> implements AsyncIterable<Item> {
  readonly #read: ReadPage<Body>;
  readonly #readDeleted: ReadPage<Page<DeletedRow>>;
  readonly #walk: Walk;
  /** @param walk parameters of a walk through all rows, unless the query has its own */
  constructor(read: ReadPage<Body>, readDeleted: ReadPage<Page<DeletedRow>>, walk: Walk) {
    super(() => read({}));
    this.#read = read;
    this.#readDeleted = readDeleted;
    this.#walk = walk;
  }

  /** All pages from the first of the query to the last. */
  async *pages(): AsyncGenerator<Body, void, undefined> {
    let page = (await this.#read(this.#walk)).data;
    for (;;) {
      yield page;
      const cursor = nextOf(page);
      if (cursor === null) return;
      page = (await this.#read({ ...this.#walk, offset: undefined, cursor })).data;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* rowsOf<Item>(page);
  }

  /** All rows, in memory. */
  async toArray(): Promise<Item[]> {
    const rows: Item[] = [];
    for await (const row of this) rows.push(row);
    return rows;
  }

  /**
   * What has changed since an instant, for a copy of the list: all rows in the first round, then what was saved, what was deleted, and
   * what the caller no longer sees. Store the rows, then `until`, which is the `since` of the next round.
   */
  changes(options: ChangesOptions = {}): Changes<Item> {
    return new Changes<Item>(this.#read as ReadPage<AnyPage<Item> | Item[]>, this.#readDeleted, this.#walk, options);
  }
}

/** Parameters of every page of a walk. */
export type Walk = Readonly<{ limit?: number; count?: false }>;

/** A row of `GET /deleted`. */
export interface DeletedRow {
  id: string;
  reason: string;
}

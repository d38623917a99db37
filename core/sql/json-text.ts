import type { Bound } from "./statement.ts";

/** JSON text from PostgreSQL, sent to the socket unparsed; `version` becomes the ETag of a single row. */
export class JsonText {
  readonly text: string;
  readonly version: number | null;

  constructor(text: string, version: number | null = null) {
    this.text = text;
    this.version = version;
  }

  /** The parsed value, for callers other than the gateway. */
  parse(): unknown {
    return JSON.parse(this.text);
  }
}

/**
 * The row that a write returns, not yet read: the action wrapper sends its select together with the commit, which saves a round trip.
 * The statement selects `version` and `body`.
 */
export class WrittenRow {
  readonly bound: Bound;
  readonly complete: (body: string) => string;

  /** @param complete turns the JSON text into the response when rules outside SQL add to it */
  constructor(bound: Bound, complete: (body: string) => string = (body) => body) {
    this.bound = bound;
    this.complete = complete;
  }
}

/** The parts of a page: its rows as JSON text, and the cursor of the next page, null on the last. */
export interface PageParts {
  items: string;
  total: number;
  limit: number;
  offset: number;
  next: string | null;
}

/** The page of a list as JSON text. */
export const pageText = ({ items, total, limit, offset, next }: PageParts): JsonText =>
  new JsonText(
    `{"items":${items},"total":${total},"limit":${limit},"offset":${offset},"next_cursor":${next === null ? "null" : `"${next}"`}}`,
  );

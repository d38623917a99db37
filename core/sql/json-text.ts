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

/** The page of a list as JSON text, around its rows. */
export function pageText(items: string, total: number | null, limit: number, offset: number): JsonText {
  const counted = total ?? (JSON.parse(items) as unknown[]).length;
  return new JsonText(`{"items":${items},"total":${counted},"limit":${limit},"offset":${offset}}`);
}

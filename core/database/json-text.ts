import type { Bound } from "./statement.ts";

/** JSON as PostgreSQL made it, passed to the socket untouched; `version` becomes the ETag of a single row. */
export class JsonText {
  readonly text: string;
  readonly version: number | null;

  constructor(text: string, version: number | null = null) {
    this.text = text;
    this.version = version;
  }

  /** The value itself, for callers that are not the gateway. */
  parse(): unknown {
    return JSON.parse(this.text);
  }
}

/**
 * The row that a write answers with, not read yet: the action wrapper sends its select together with the commit, which saves a round
 * trip. The statement gives `version` and `body`.
 */
export class WrittenRow {
  readonly bound: Bound;
  readonly complete: (body: string) => string;

  /** @param complete makes the answer of the JSON text that was read, where rules outside SQL add to it */
  constructor(bound: Bound, complete: (body: string) => string = (body) => body) {
    this.bound = bound;
    this.complete = complete;
  }
}

/** The page of a list around its rows. */
export function pageText(items: string, total: number | null, limit: number, offset: number): JsonText {
  const counted = total ?? (JSON.parse(items) as unknown[]).length;
  return new JsonText(`{"items":${items},"total":${counted},"limit":${limit},"offset":${offset}}`);
}

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

/** The page of a list around its rows. */
export function pageText(items: string, total: number | null, limit: number, offset: number): JsonText {
  const counted = total ?? (JSON.parse(items) as unknown[]).length;
  return new JsonText(`{"items":${items},"total":${counted},"limit":${limit},"offset":${offset}}`);
}

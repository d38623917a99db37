import { KantoorError } from "./errors.ts";

const TAGS = new WeakMap<object, string>();

/** Remembers the entity tag of a row, for `ifMatch`. */
export function keepEtag(row: unknown, headers: Headers): void {
  const etag = headers.get("etag");
  if (etag !== null && typeof row === "object" && row !== null) TAGS.set(row, etag);
}

/** The entity tag that a row was read with. @throws KantoorError for a row that no `get` returned, such as one of a list */
export function etagOf(row: object): string {
  const etag = TAGS.get(row);
  if (etag === undefined)
    throw new KantoorError("ifMatch takes an entity tag or a row that `get` returned; rows of lists have no entity tag.");
  return etag;
}

import { GoogleFailure } from "../../mixins/google/failure.ts";

/** An id from a caller, for the path of a call. @throws GoogleFailure `not_found` for an id of dots alone, which would change the path */
export function requirePathId(id: string): string {
  if (/^\.*$/.test(id)) throw new GoogleFailure("not_found", "an id must not consist of dots", { status: 404 });
  return id;
}

import { readInstant } from "../../core/schema/schema.ts";

/**
 * A predicate for `updated_since`: true for a row created or changed at or after that instant. Without an instant, every row passes;
 * with one, null does not (conventions §10).
 */
export function changedSince(since: string | undefined): (row: { readonly updated_at: string } | null) => boolean {
  if (since === undefined) return () => true;
  const from = Date.parse(readInstant(since) as string);
  return (row) => row !== null && Date.parse(row.updated_at) >= from;
}

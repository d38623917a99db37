import { readInstant } from "../../core/declare/schema.ts";

/**
 * Whether a loaded row was created or changed at or after the instant of `updated_since`; every row when none was sent, null for no row
 * (conventions §10).
 */
export function changedSince(since: string | undefined): (row: { readonly updated_at: string } | null) => boolean {
  if (since === undefined) return () => true;
  const from = Date.parse(readInstant(since) as string);
  return (row) => row !== null && Date.parse(row.updated_at) >= from;
}

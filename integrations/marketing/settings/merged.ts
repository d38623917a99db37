import type { StoredSettings } from "../../../mixins/report-sections/report-split.ts";

/** Merges sent settings into stored ones: missing ones stay, null clears one. Null if nothing is set any more. */
export function merged(stored: StoredSettings, sent: StoredSettings): Record<string, unknown> | null {
  const entries = Object.entries({ ...stored, ...sent }).filter(([, value]) => value !== null && value !== undefined);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

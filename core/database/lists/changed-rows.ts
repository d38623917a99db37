import type { Filter, ListingSpec } from "./listing-spec.ts";

/** The column that `updated_since` compares. */
export const changeOf = ({ changed = "t.updated_at" }: Pick<ListingSpec, "changed">): string => changed;
/** Filters rows created or changed at or after an instant. */
export const updatedSince = (spec: Pick<ListingSpec, "changed">): Filter => ({
  type: "timestamptz",
  when: (slot) => `${changeOf(spec)} >= ${slot}`,
});

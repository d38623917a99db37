import { runtime } from "../../../core/config/runtime.ts";
import { oldRowsEverywhere } from "../../../core/sql/old-rows.ts";

/**
 * Lines of the trail, for an operator who does not keep them for ever. The application may only add lines, so a function removes them. Ids
 * are UUIDs of version 7: those before an instant are smaller than its own, which saves an index by time.
 */
export const oldLines = oldRowsEverywhere(
  {
    table: "activity",
    age: "r.id",
    kept: "365 days",
    days: () => runtime().config.trailDays,
    by: {
      type: "uuid",
      lowest: "00000000-0000-0000-0000-000000000000",
      of: (instant) => `rpad(lpad(to_hex((extract(epoch from ${instant}) * 1000)::bigint), 12, '0'), 32, '0')::uuid`,
    },
  },
  "organisation",
);

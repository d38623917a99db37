import { defineModule } from "../../core/declare/module.ts";

/** The rows that copies of lists have to remove. Each kind of record declares its own list (`copied`). */
export default defineModule({
  key: "copies",
  kind: "core",
  tables: ["former_selections", "gone_rows"],
  tags: { deleted: "Rows that copies of lists have to remove." },
  parameters: { since: "Only rows that were deleted, or left the caller's view, at or after this instant" },
});

import { defineModule } from "../../core/declare/module.ts";

/** The rows that copies of lists have to remove. Each kind of record declares its own list (`copied`). */
export default defineModule({
  key: "copies",
  kind: "core",
  references: {
    "gone_rows.entity_id": { kind: "entity_type", left: "copies read there that the merged record is gone" },
    "gone_rows.companies": { to: "company", holds: "list", left: "who saw the row before it was gone" },
    "former_selections.company_id": { to: "company", left: "who saw the client before it was gone" },
  },
  tables: ["former_selections", "gone_rows"],
  tags: { deleted: "Rows that copies of lists have to remove." },
  parameters: { since: "Only rows that were deleted, or left the caller's view, at or after this instant" },
});

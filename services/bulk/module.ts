import { defineModule } from "../../core/declare/module.ts";

/** Bulk changes and deletions. Each kind of record declares its own (`bulk`). */
export default defineModule({
  key: "bulk",
  kind: "core",
  errors: {
    422: ["validation impex.errors.ambiguous_match", "validation impex.errors.unknown_column"],
  },
  tags: { bulk: "One change or deletion for many records at once." },
});

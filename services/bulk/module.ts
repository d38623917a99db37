import { defineModule } from "../../core/declare/module.ts";

/** Changes and deletions of many records at once. What can be done to which, and how, stands with each kind of record (`bulk`). */
export default defineModule({
  key: "bulk",
  kind: "core",
  errors: {
    422: ["validation impex.errors.ambiguous_match", "validation impex.errors.unknown_column"],
  },
  tags: { bulk: "One change or deletion for many records at once." },
});

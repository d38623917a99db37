import { defineModule } from "../../core/declare/module.ts";

/** Bulk changes and deletions. Each kind of record declares its own (`bulk`). */
export default defineModule({
  key: "bulk",
  kind: "core",
  errors: {
    422: ["validation impex.errors.ambiguous_match", "validation impex.errors.unknown_column"],
  },
  errorTexts: {
    "validation impex.errors.ambiguous_match": [
      "A value fits several records, such as two clients of the same name.",
      "Send the record's id.",
    ],
    "validation impex.errors.unknown_column": [
      "The field cannot be changed in bulk for this kind of record.",
      "Send one of the fields that the kind offers.",
    ],
  },
  tags: { bulk: "One change or deletion for many records at once." },
});

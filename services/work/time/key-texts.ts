import type { ErrorTexts } from "../../../core/declare/module.ts";

/** Keys that `fields` of an answer can carry. */
export const timeFieldTexts = {
  "errors.time_entry_type_unknown": ["No active type of entry has this key.", "Use a key of `GET /time/entry-types`."],
} satisfies ErrorTexts;

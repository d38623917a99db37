import type { ErrorTexts } from "../../../core/declare/module.ts";

/** Keys that `fields` of an answer can carry. */
export const interactionsFieldTexts = {
  "errors.interactions_eml_invalid": [
    "The file has the name or type of a mail, and cannot be read as one.",
    "Save the mail again from its program, and upload that.",
  ],
  "errors.interactions_eml_type": ["The file is not a mail.", "Upload a file in the format of RFC 5322, with the ending `.eml`."],
  "errors.interactions_kind_not_manual": ["Contact moments of this kind come from imported mail only.", "Choose another kind."],
} satisfies ErrorTexts;

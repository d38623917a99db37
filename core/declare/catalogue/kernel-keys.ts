import type { ErrorTexts } from "../module.ts";

/** Keys that `fields` of an answer can carry. */
export const kernelFieldTexts = {
  "errors.duplicate": ["The value is used already, or is in the list twice.", "Send another value, or each value once."],
  "errors.invalid_email": ["The value is not an e-mail address.", "Send one address, such as `anna@example.com`."],
  "errors.invalid_url": [
    "The value is not a complete web address, or not one of an allowed kind.",
    "Send an address that begins with https or http.",
  ],
  "errors.invalid_value": ["The value is none of those that the field takes.", "Send a value that the field documents."],
  "impex.errors.duplicate_in_file": ["Two rows of the file are the same record.", "Remove one of the rows."],
  "impex.errors.missing_column": [
    "The file has no column for a field that an import needs.",
    "Add the column, or name it in `map`.",
  ],
} satisfies ErrorTexts;

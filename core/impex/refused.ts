import { invalid, refusal } from "../errors/errors.ts";

/** The meaning of a rejected file for a program: a code of the error catalogue, or the fields of a 422. */
type Meaning =
  | "empty_file"
  | "invalid_file"
  | "invalid_xlsx"
  | "sheet_not_found"
  | "too_many_columns"
  | "too_many_rows"
  | "file_too_large"
  | Record<string, string>;

/** The file or mapping is unusable; the message is one sentence for a person. */
export class ImportRefused extends Error {
  override name = "ImportRefused";
  readonly meaning: Meaning;
  readonly details: Record<string, number> | undefined;

  constructor(sentence: string, meaning: Meaning = "invalid_file", details?: Record<string, number>) {
    super(sentence);
    this.meaning = meaning;
    this.details = details;
  }

  /** The API error: 400, 413, or 422 with its fields. */
  asApiError() {
    if (typeof this.meaning !== "string") return invalid(this.meaning);
    return refusal(this.meaning, `impex.errors.${this.meaning}`, this.details && { details: this.details });
  }
}

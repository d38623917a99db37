import { invalid } from "../../../core/errors/errors.ts";

/** Why a file is refused, as the last part of its translation key `errors.banking.<reason>`. */
export type UnreadableReason =
  | "unknown_format"
  | "unsupported_version"
  | "broken_file"
  | "unreadable_entry"
  | "wrong_balance"
  | "no_statement"
  | "too_many_entries"
  | "broken_archive";

/** Where in the file the fault is. */
export interface FaultAt {
  line?: number | undefined;
  entry?: number | undefined;
}

/** A file that is refused as a whole; the message is one sentence for a person. */
export class StatementUnreadable extends Error {
  override name = "StatementUnreadable";
  readonly reason: UnreadableReason;
  readonly at: FaultAt;
  /** The name of the file, within an archive its own. */
  file: string | null = null;

  constructor(reason: UnreadableReason, sentence: string, at: FaultAt = {}) {
    super(sentence);
    this.reason = reason;
    this.at = at;
  }

  /** The 422, with file, line or entry, and the sentence in `details`. */
  asApiError() {
    const { line, entry } = this.at;
    return invalid(
      { file: `errors.banking.${this.reason}` },
      {
        ...(this.file !== null && { file: this.file }),
        ...(line !== undefined && { line }),
        ...(entry !== undefined && { entry }),
        reason: this.message,
      },
    );
  }
}

/** Adds the name of the file to a refusal that has none. @throws the error */
export function inFile(error: unknown, name: string): never {
  if (error instanceof StatementUnreadable) error.file ??= name;
  throw error;
}

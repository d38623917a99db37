import { shortened } from "../values/stored-text.ts";

/** An error in one cell. `column` is the field (`_` for the row as a whole), `header` its column in the file. */
export interface RowError {
  row: number;
  column: string;
  header: string | null;
  error: string;
  /** The cell's content, shortened for display. */
  value: string | null;
  /** Accepted words, or examples; empty if any text is allowed. */
  words: readonly string[];
}

/** A value without a field of its own, from the same cell or another column of its kind, such as a second telephone number. */
export interface LeftOut {
  row: number;
  column: string;
  header: string | null;
  value: string;
}

/** A row that became a record although others have the same name, and no key distinguishes them. */
export interface Namesake {
  row: number;
  column: string;
  value: string;
}

/** A column that is read under a guess: as a field, or in an order of day and month. */
export interface TakenAs {
  /** Its header. */
  column: string;
  as: string;
}

/** A column of dates such as 03/04/2026 of which nothing decides which part is the day. */
export interface Ambiguous {
  /** Its header. */
  column: string;
  example: string;
  /** What the example was read as: day first. */
  as: string;
}

/** The result of an import or of its dry run. */
export interface ImportReport {
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  /** Number of records of other kinds created for the rows: companies of contacts, contact persons of companies. */
  also_created: number;
  errors: RowError[];
  left_out: LeftOut[];
  namesakes: Namesake[];
  ignored_columns: string[];
  taken_as: TakenAs[];
  ambiguous: Ambiguous[];
  /** The location of the column headers. */
  sheet: string | null;
  header_row: number;
}

/** Characters of a value in a report. */
const SHOWN = 100;
/** A value as reports show it. */
export const shorten = (text: string): string => (text.length > SHOWN ? `${shortened(text, SHOWN)}…` : text);

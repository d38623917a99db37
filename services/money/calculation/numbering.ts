import { fitsNumber, isNumberFormat, MOST_CANDIDATES, renderNumber } from "../../../core/values/numbering.ts";
import type { InvoicingSettingsRow } from "../settings/models.ts";

export { renderNumber };

/** Largest sequence a number is given for: what an integer of JSON holds exactly, less the one that is stored as next. */
const LAST_SEQUENCE = Number.MAX_SAFE_INTEGER - 1;

/** The running number of invoices and credit notes, or that of quotes. */
export interface Sequence {
  readonly format: string;
  readonly next_seq: number;
  /** The year the last number was given in; null before the first. */
  readonly seq_year: number | null;
  readonly reset_yearly: boolean;
}

/** What an allocation gives and what is stored for the next one. */
export interface Allocated {
  readonly number: string;
  readonly next_seq: number;
  readonly seq_year: number;
}

/**
 * Whether a number format is usable (money §5): literal text with `{year}` and `{yy}`, exactly one `{seq}` or `{seq:N}`, no other
 * token, and no sequence, however high, brings it over 40 characters.
 */
export function checkFormat(format: string): boolean {
  return isNumberFormat(format) && fitsNumber(renderNumber(format, 9999, LAST_SEQUENCE));
}

type SequenceSettings = Pick<
  InvoicingSettingsRow,
  | "invoice_number_format"
  | "quote_number_format"
  | "invoice_next_seq"
  | "quote_next_seq"
  | "invoice_seq_year"
  | "quote_seq_year"
  | "number_reset_yearly"
>;

/** The sequence of a kind of documents as the settings hold it. */
export function sequenceOf(settings: SequenceSettings, kind: "invoice" | "quote"): Sequence {
  return {
    format: settings[`${kind}_number_format`],
    next_seq: Number(settings[`${kind}_next_seq`]),
    seq_year: settings[`${kind}_seq_year`],
    reset_yearly: settings.number_reset_yearly,
  };
}

/** The first sequence to try in `year`: 1 when it starts anew every year and the last number was of another year (money §5). */
export function firstCandidate({ next_seq, seq_year, reset_yearly }: Omit<Sequence, "format">, year: number): number {
  return reset_yearly && seq_year !== null && seq_year !== year ? 1 : next_seq;
}

/**
 * The numbers an allocation may give, in order: at most 1000.
 * @param year that of today, whatever the document is dated
 */
export function* candidates(sequence: Sequence, year: number): Generator<Allocated> {
  const first = firstCandidate(sequence, year);
  for (let seq = first; seq < first + MOST_CANDIDATES && seq <= LAST_SEQUENCE; seq++)
    yield { number: renderNumber(sequence.format, year, seq), next_seq: seq + 1, seq_year: year };
}

/** The first candidate that is not in use, or null: the number is exhausted. */
export function allocate(sequence: Sequence, year: number, isTaken: (number: string) => boolean): Allocated | null {
  return candidates(sequence, year).find(({ number }) => !isTaken(number)) ?? null;
}

/** A number as part of a file's name: a separator in it would cut the name. */
export const fileSafe = (number: string): string => number.replace(/[/\\]/g, "-");

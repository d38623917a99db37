import { fitsNumber, isNumberFormat, MOST_CANDIDATES, renderNumber } from "../../../core/values/numbering.ts";

export { renderNumber };

/** The largest sequence: the largest exact integer of JSON, minus one because the next sequence is stored. */
const LAST_SEQUENCE = Number.MAX_SAFE_INTEGER - 1;

/** The running number of invoices and credit notes, or of quotes. */
export interface Sequence {
  readonly format: string;
  readonly next_seq: number;
  /** The year of the last number; null before the first. */
  readonly seq_year: number | null;
  readonly reset_yearly: boolean;
}

/** An allocated number and the values to store for the next one. */
export interface Allocated {
  readonly number: string;
  readonly next_seq: number;
  readonly seq_year: number;
}

/**
 * Whether a number format is valid (money §5): literal text with `{year}` and `{yy}`, exactly one `{seq}` or `{seq:N}`, no other token, and
 * at most 40 characters at any sequence.
 */
export function checkFormat(format: string): boolean {
  return isNumberFormat(format) && fitsNumber(renderNumber(format, 9999, LAST_SEQUENCE));
}

/** The settings of an organisation that give its sequences. */
interface SequenceSettings {
  readonly invoice_number_format: string;
  readonly quote_number_format: string;
  /** A 64-bit integer, which PostgreSQL returns as text. */
  readonly invoice_next_seq: string;
  readonly quote_next_seq: string;
  readonly invoice_seq_year: number | null;
  readonly quote_seq_year: number | null;
  readonly number_reset_yearly: boolean;
}

/** The sequence of a kind of document, from the settings. */
export function sequenceOf(settings: SequenceSettings, kind: "invoice" | "quote"): Sequence {
  return {
    format: settings[`${kind}_number_format`],
    next_seq: Number(settings[`${kind}_next_seq`]),
    seq_year: settings[`${kind}_seq_year`],
    reset_yearly: settings.number_reset_yearly,
  };
}

/** The first sequence to try in `year`: 1 when numbers restart every year and the last number is from another year (money §5). */
export function firstCandidate({ next_seq, seq_year, reset_yearly }: Omit<Sequence, "format">, year: number): number {
  return reset_yearly && seq_year !== null && seq_year !== year ? 1 : next_seq;
}

/** The counters of a change of settings; absent for one that does not change. */
type SetCounters = Partial<Record<"invoice_next_seq" | "quote_next_seq", unknown>>;

/**
 * The years of counters that a change sets: the running one, so that the next number continues from a counter set before the first number of
 * a year instead of restarting (money §5). A counter without any number yet has no year.
 */
export function yearsOfSetCounters(
  stored: Pick<SequenceSettings, "invoice_seq_year" | "quote_seq_year">,
  changed: SetCounters,
  year: number,
): Partial<Record<"invoice_seq_year" | "quote_seq_year", number>> {
  const isSet = (kind: "invoice" | "quote") => changed[`${kind}_next_seq`] !== undefined && stored[`${kind}_seq_year`] !== null;
  return { ...(isSet("invoice") && { invoice_seq_year: year }), ...(isSet("quote") && { quote_seq_year: year }) };
}

/**
 * The candidate numbers of an allocation, in order: at most 1000.
 * @param year today's, whatever the document's date
 */
export function* candidates(sequence: Sequence, year: number): Generator<Allocated> {
  const first = firstCandidate(sequence, year);
  for (let seq = first; seq < first + MOST_CANDIDATES && seq <= LAST_SEQUENCE; seq++)
    yield { number: renderNumber(sequence.format, year, seq), next_seq: seq + 1, seq_year: year };
}

/** The first unused candidate, or null when numbers are exhausted. */
export function allocate(sequence: Sequence, year: number, isTaken: (number: string) => boolean): Allocated | null {
  return candidates(sequence, year).find(({ number }) => !isTaken(number)) ?? null;
}

/** A number as part of a file name: a separator would cut the name. */
export const fileSafe = (number: string): string => number.replace(/[/\\]/g, "-");

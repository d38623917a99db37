import type { OwnOf } from "../../../core/database/model.ts";
import { fitsNumber, isNumberFormat, MOST_CANDIDATES, renderNumber } from "../../../core/values/numbering.ts";
import type { CompanySettings } from "../models.ts";

/** Settings of client numbering (clients chapter §3.3). */
export type Numbering = OwnOf<typeof CompanySettings>;

/** The settings stored on first use. */
export const DEFAULT_NUMBERING: Numbering = {
  client_number_format: "{seq:4}",
  client_number_next_seq: 1,
  client_number_reset_yearly: false,
  client_number_seq_year: null,
  client_number_auto: true,
};

/** The column's largest sequence, minus one because the next sequence is stored. */
const LAST_SEQUENCE = 2_147_483_646;

/** Whether a format is valid: not blank, exactly one sequence token, no unknown tokens, and at most 40 characters when rendered. */
export function isValidFormat(format: string, nextSequence: number, year: number): boolean {
  return isNumberFormat(format) && fitsNumber(renderNumber(format, year, nextSequence));
}

/** The first sequence in `year`: a yearly reset starts at 1 when the year has changed since the last allocation. */
export function startingSequence(numbering: Numbering, year: number): number {
  const { client_number_reset_yearly: yearly, client_number_seq_year: last, client_number_next_seq: next } = numbering;
  return yearly && last !== null && last !== year ? 1 : next;
}

/** The candidates of one allocation in order: at most 1000, until one exceeds the length limit. */
export function* candidates(numbering: Numbering, year: number): Generator<{ number: string; sequence: number }> {
  const first = startingSequence(numbering, year);
  for (let sequence = first; sequence < first + MOST_CANDIDATES && sequence <= LAST_SEQUENCE; sequence++) {
    // Stored numbers are trimmed (clients chapter §10), whatever blanks surround the format.
    const number = renderNumber(numbering.client_number_format, year, sequence).trim();
    if (!fitsNumber(number)) return;
    yield { number, sequence };
  }
}

/** Numbers for `count` records: the first free candidate for each, and the settings afterwards. Null when candidates run out. */
export function allocate(
  numbering: Numbering,
  year: number,
  count: number,
  isTaken: (number: string) => boolean,
): { numbers: string[]; after: Numbering } | null {
  const numbers: string[] = [];
  let after = numbering;
  for (let made = 0; made < count; made++) {
    const free = candidates(after, year).find(({ number }) => !isTaken(number));
    if (!free) return null;
    numbers.push(free.number);
    after = { ...after, client_number_next_seq: free.sequence + 1, client_number_seq_year: year };
  }
  return { numbers, after };
}

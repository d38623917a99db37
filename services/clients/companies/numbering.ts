import type { OwnOf } from "../../../core/database/model.ts";
import type { CompanySettings } from "../models.ts";

/** Numbering of clients (clients chapter §3.3). */
export type Numbering = OwnOf<typeof CompanySettings>;

/** What the first touch of an organisation stores. */
export const DEFAULT_NUMBERING: Numbering = {
  client_number_format: "{seq:4}",
  client_number_next_seq: 1,
  client_number_reset_yearly: false,
  client_number_seq_year: null,
  client_number_auto: true,
};

/** Longest client number, in characters. */
export const LONGEST_NUMBER = 40;
/** Candidates tried before numbering gives up. */
export const MOST_CANDIDATES = 1000;
/** Largest sequence the column holds, less the one that is stored as next. */
const LAST_SEQUENCE = 2_147_483_646;
const TOKEN = /\{([^{}]*)\}/g;
const SEQUENCE = /^seq(?::(\d{1,2}))?$/;

/** The number a format gives: `{year}`, `{yy}`, `{seq}`, `{seq:N}` zero-padded to N; padding never truncates. */
export function renderNumber(format: string, sequence: number, year: number): string {
  return format.replace(TOKEN, (whole, token: string) => {
    if (token === "year") return String(year).padStart(4, "0");
    if (token === "yy") return String(year % 100).padStart(2, "0");
    const match = SEQUENCE.exec(token);
    return match ? String(sequence).padStart(Number(match[1] ?? 0), "0") : whole;
  });
}

/** Valid: not blank, exactly one sequence token, no other token than the known ones, and its rendering fits 40 characters. */
export function isValidFormat(format: string, nextSequence: number, year: number): boolean {
  if (format.trim() === "") return false;
  const tokens = [...format.matchAll(TOKEN)].map(([, token = ""]) => token);
  const sequences = tokens.filter((token) => SEQUENCE.test(token));
  const known = tokens.every((token) => token === "year" || token === "yy" || SEQUENCE.test(token));
  const stray = /[{}]/.test(format.replace(TOKEN, ""));
  return sequences.length === 1 && known && !stray && [...renderNumber(format, nextSequence, year)].length <= LONGEST_NUMBER;
}

/** Where the sequence stands in `year`: a yearly reset starts at 1 when the year has changed since the last allocation. */
export function startingSequence(numbering: Numbering, year: number): number {
  const { client_number_reset_yearly: yearly, client_number_seq_year: last, client_number_next_seq: next } = numbering;
  return yearly && last !== null && last !== year ? 1 : next;
}

/** The candidates of one allocation in order: at most 1000, and only while they fit. */
export function* candidates(numbering: Numbering, year: number): Generator<{ number: string; sequence: number }> {
  const first = startingSequence(numbering, year);
  for (let sequence = first; sequence < first + MOST_CANDIDATES && sequence <= LAST_SEQUENCE; sequence++) {
    const number = renderNumber(numbering.client_number_format, sequence, year);
    if ([...number].length > LONGEST_NUMBER) return;
    yield { number, sequence };
  }
}

/**
 * Numbers for `count` records: the first free candidate each, and the settings afterwards. Null when one of them finds none.
 * @param isTaken whether a number is in use
 */
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

import { digestText } from "../../../core/security/crypto.ts";
import type { ReadEntry, ReadStatement } from "./read-statement.ts";

/** An entry with the key by which it is kept once within an organisation. */
export interface KeyedEntry extends ReadEntry {
  entry_key: string;
}

const plain = (text: string | null): string => (text ?? "").toUpperCase().replace(/\s+/g, "");

/** What identifies an entry: the bank's reference if there is one, else its texts; always with account, day and amount. */
function identified(account: string, entry: ReadEntry): string {
  const { booked_on, amount, currency, bank_reference, counter_iban, counter_name, text, reference } = entry;
  const own =
    bank_reference === null
      ? ["texts", plain(counter_iban), plain(counter_name), plain(text), plain(reference)]
      : ["reference", plain(bank_reference)];
  return JSON.stringify([account, booked_on, amount, currency, ...own]);
}

/** What identifies a statement that a file has twice. */
const statementKey = ({ account, number, from, to, opening, closing, entries }: ReadStatement): string =>
  JSON.stringify([account, number, from, to, opening, closing, entries.map((entry) => identified(account, entry))]);

/**
 * The statements of one file with keys for their entries, so that each is kept once over overlapping statements. Entries that are equal in
 * all that identifies them are counted: the second of a file is another entry than the first. A bank's reference is unique, so that it
 * counts within one statement only; a statement that the file repeats is left out.
 */
export function keyed(statements: readonly ReadStatement[]): (Omit<ReadStatement, "entries"> & { entries: KeyedEntry[] })[] {
  const inFile = new Map<string, number>();
  const seen = new Set<string>();
  return statements.flatMap((statement) => {
    const own = statementKey(statement);
    if (seen.has(own)) return [];
    seen.add(own);
    const inStatement = new Map<string, number>();
    const entries = statement.entries.map((entry): KeyedEntry => {
      const identity = identified(statement.account, entry);
      const counts = entry.bank_reference === null ? inFile : inStatement;
      const ordinal = (counts.get(identity) ?? 0) + 1;
      counts.set(identity, ordinal);
      return { ...entry, entry_key: digestText(`${identity} ${ordinal}`) };
    });
    return { ...statement, entries };
  });
}

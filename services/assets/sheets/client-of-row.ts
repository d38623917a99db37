import type { Values } from "../../../core/database/write.ts";
import { FILED_UNDER, type ImportRows } from "../../../core/impex/entity.ts";
import type { Named, NamedClients } from "../../../mixins/named/named-clients.ts";

/** The words by which a row may name its client, the best first, each with its column. */
export const clientWords = (row: Values): { column: string; word: string }[] =>
  ["company", "company_name"].flatMap((column) => {
    const word = row[column] as string | undefined;
    return word === undefined ? [] : [{ column, word: word.trim() }];
  });

/** The words that decide about the client of a row: those that name one, else, for a new record, the client it is filed under. */
function wordsOf(row: Values, isNew: boolean): { column: string; word: string }[] {
  const words = clientWords(row);
  const under = isNew ? (row[FILED_UNDER] as string | undefined) : undefined;
  return words.length > 0 || under === undefined ? words : [{ column: "company", word: under }];
}

/** The words of all clients that the rows of a file name, or are filed under. */
export const wordsOfClients = async (rows: ImportRows): Promise<Set<string>> =>
  new Set((await Array.fromAsync(rows, (row) => wordsOf(row, true).map(({ word }) => word))).flat());

/** The client a row names, else for a new record the one it is filed under, with the column that names it; null without either. */
export function clientOf(row: Values, clients: NamedClients, isNew: boolean): (Named & { column: string }) | null {
  const named = wordsOf(row, isNew).map(({ column, word }) => ({ ...clients.of(word), column }));
  return named.find((one) => "id" in one) ?? named.at(-1) ?? null;
}

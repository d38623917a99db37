import type { Values } from "../../../core/database/write.ts";
import type { Named, NamedClients } from "../../../mixins/named/named-clients.ts";

/** The words by which a row may name its client, the best first, each with its column. */
export const clientWords = (row: Values): { column: string; word: string }[] =>
  ["company", "company_name"].flatMap((column) => {
    const word = row[column] as string | undefined;
    return word === undefined ? [] : [{ column, word: word.trim() }];
  });

/** The client a row names, with the column that names it; null if the row names none. */
export function clientOf(row: Values, clients: NamedClients): (Named & { column: string }) | null {
  const named = clientWords(row).map(({ column, word }) => ({ ...clients.of(word), column }));
  return named.find((one) => "id" in one) ?? named.at(-1) ?? null;
}

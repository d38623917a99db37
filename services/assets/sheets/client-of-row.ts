import type { Values } from "../../../core/database/write.ts";
import type { Named, NamedClients } from "../../../mixins/named-clients.ts";

/** The words a row names its client by, the best first, each with its column. */
export const clientWords = (row: Values): { column: string; word: string }[] =>
  ["company", "company_name"].flatMap((column) => {
    const word = row[column] as string | undefined;
    return word === undefined ? [] : [{ column, word: word.trim() }];
  });

/** The client a row names, by the column that does; null when the row is silent about it. */
export function clientOf(row: Values, clients: NamedClients): (Named & { column: string }) | null {
  const named = clientWords(row).map(({ column, word }) => ({ ...clients.of(word), column }));
  return named.find((one) => "id" in one) ?? named.at(-1) ?? null;
}

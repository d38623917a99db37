/** What identifies a row of the file; either may be missing. Of several names each is enough. */
export interface Identity {
  number: string | undefined;
  name: string | readonly string[] | undefined;
}

/** A stored row as far as matching looks at it. */
export interface Candidate {
  id: string;
}

/** What becomes of a row: it changes a stored one, makes a new one, or is refused on a field. */
export type Match<T extends Candidate> = { change: T } | { create: true } | { refuse: "number" | "name" };

/** Names are compared as the database sorts them: accents count, however they are encoded, case does not. */
export const sameName = (name: string): string => name.normalize("NFC").toLowerCase();

/**
 * Matches each row on its number, then on a name that only one stored row and only one row of the file carry. A row that a second
 * import could not tell from another is refused: a number twice in the file, or no number and a name that several share.
 * @param byNumber stored rows by number
 * @param byName stored rows by `sameName`
 */
export function matchRows<T extends Candidate>(
  rows: readonly Identity[],
  byNumber: ReadonlyMap<string, T>,
  byName: ReadonlyMap<string, readonly T[]>,
): Match<T>[] {
  const numbers = counted(rows.map(({ number }) => number));
  const namesOf = rows.map(({ name }) => [...new Set([name ?? []].flat().map(sameName))]);
  const names = counted(namesOf.flat());
  const claimed = new Set(rows.flatMap(({ number }) => (number === undefined ? [] : (byNumber.get(number)?.id ?? []))));
  const matches = rows.map(({ number }, index): Match<T> => {
    const own = namesOf[index] as string[];
    if (number !== undefined && (numbers.get(number) ?? 0) > 1) return { refuse: "number" };
    const found = number === undefined ? undefined : byNumber.get(number);
    if (found) return { change: found };
    const alike = unique(own.flatMap((name) => byName.get(name) ?? [])).filter(({ id }) => !claimed.has(id));
    const isAlone = own.every((name) => names.get(name) === 1);
    if (alike.length === 1 && isAlone) return { change: alike[0] as T };
    if (number === undefined && (alike.length > 1 || !isAlone)) return { refuse: "name" };
    return { create: true };
  });
  // Several names of one stored row may have led several rows to it.
  const changed = counted(matches.map((match) => ("change" in match ? match.change.id : undefined)));
  return matches.map((match) => ("change" in match && (changed.get(match.change.id) ?? 0) > 1 ? { refuse: "name" } : match));
}

/** Rows that are there several times, once. */
const unique = <T extends Candidate>(rows: readonly T[]): T[] => [...new Map(rows.map((row) => [row.id, row])).values()];

function counted(values: readonly (string | undefined)[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** What identifies a row of the file; either may be missing. */
export interface Identity {
  number: string | undefined;
  name: string | undefined;
}

/** A stored row as far as matching looks at it. */
export interface Candidate {
  id: string;
}

/** What becomes of a row: it changes a stored one, makes a new one, or is refused on a field. */
export type Match<T extends Candidate> = { change: T } | { create: true } | { refuse: "number" | "name" };

/** Names are compared as the database sorts them: accents count, case does not. */
export const sameName = (name: string): string => name.toLowerCase();

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
  const names = counted(rows.map(({ name }) => name && sameName(name)));
  const claimed = new Set(rows.flatMap(({ number }) => (number === undefined ? [] : (byNumber.get(number)?.id ?? []))));
  return rows.map(({ number, name }) => {
    if (number !== undefined && (numbers.get(number) ?? 0) > 1) return { refuse: "number" };
    const found = number === undefined ? undefined : byNumber.get(number);
    if (found) return { change: found };
    if (name === undefined) return { create: true };
    const alike = (byName.get(sameName(name)) ?? []).filter(({ id }) => !claimed.has(id));
    const isAlone = names.get(sameName(name)) === 1;
    if (alike.length === 1 && isAlone) return { change: alike[0] as T };
    if (number === undefined && (alike.length > 1 || !isAlone)) return { refuse: "name" };
    return { create: true };
  });
}

function counted(values: readonly (string | undefined)[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

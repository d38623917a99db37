/** What identifies a row of the file; each may be missing. Of several names each is enough. */
export interface Identity {
  /** The id an export wrote, here or elsewhere. */
  id?: string | undefined;
  number: string | undefined;
  name: string | readonly string[] | undefined;
}

/** A stored row as far as matching looks at it. */
export interface Candidate {
  id: string;
  /** Its own number, where that says whether a row of the file changes it. */
  number?: string | null;
}

/**
 * What becomes of a row: it changes a stored one, makes a new one, or is refused on a field. A new one is a `namesake` when only its id tells it
 * from others with its name.
 */
export type Match<T extends Candidate> = { change: T } | { create: true; namesake?: true } | { refuse: "id" | "number" | "name" };

/** Stored rows by what rows of a file may know of them. */
export interface Known<T extends Candidate> {
  /** By id as the file gives it, also where the row has got another one here. */
  byId?: ReadonlyMap<string, T>;
  byNumber: ReadonlyMap<string, T>;
  /** By `sameName`. */
  byName: ReadonlyMap<string, readonly T[]>;
}

/** Names are compared as the database sorts them: accents count, however they are encoded, case does not. */
export const sameName = (name: string): string => name.normalize("NFC").toLowerCase();

/**
 * Matches each row on its id, then on its number, then on a name that only one stored row and only one row of the file carry. Refuses a row that
 * a second import could not tell from another: an id or a number twice in the file, or neither and a name that several share. A row with an
 * id that is unknown here is told apart by that; rows without a key have one that follows from their content (`core/impex/row-identity.ts`).
 */
export function matchRows<T extends Candidate>(
  rows: readonly Identity[],
  { byId = new Map(), byNumber, byName }: Known<T>,
): Match<T>[] {
  const ids = counted(rows.map(({ id }) => id));
  const numbers = counted(rows.map(({ number }) => number));
  const foundById = rows.map(({ id }) => (id === undefined ? undefined : byId.get(id)));
  const taken = new Set(foundById.flatMap((found) => found?.id ?? []));
  const foundByNumber = rows.map(({ number }, index) =>
    number === undefined || foundById[index] ? undefined : byNumber.get(number),
  );
  const claimed = new Set([...taken, ...foundByNumber.flatMap((found) => found?.id ?? [])]);
  const namesOf = rows.map(({ name }, index) => (foundById[index] ? [] : [...new Set([name ?? []].flat().map(sameName))]));
  const names = counted(namesOf.flat());
  const matches = rows.map(({ id, number }, index): Match<T> => {
    if (id !== undefined && (ids.get(id) ?? 0) > 1) return { refuse: "id" };
    const own = foundById[index];
    // Two rows may bring one number only where the stored ones have had it all along.
    const isTwice = number !== undefined && (numbers.get(number) ?? 0) > 1;
    if (own) return isTwice && own.number !== number ? { refuse: "number" } : { change: own };
    if (isTwice) return { refuse: "number" };
    const found = foundByNumber[index];
    if (found) return taken.has(found.id) ? { refuse: "number" } : { change: found };
    const ownNames = namesOf[index] as string[];
    const alike = unique(ownNames.flatMap((name) => byName.get(name) ?? [])).filter(({ id: other }) => !claimed.has(other));
    const isAlone = ownNames.every((name) => names.get(name) === 1);
    if (alike.length === 1 && isAlone) return { change: alike[0] as T };
    if (number !== undefined || (alike.length < 2 && isAlone)) return { create: true };
    return id === undefined ? { refuse: "name" } : { create: true, namesake: true };
  });
  // Several names of one stored row may have led several rows to it.
  const changed = counted(matches.map((match) => ("change" in match ? match.change.id : undefined)));
  return matches.map((match) => ("change" in match && (changed.get(match.change.id) ?? 0) > 1 ? { refuse: "name" } : match));
}

/** The places of the rows that became namesakes. */
export const namesakesAmong = (matches: readonly Match<Candidate>[]): number[] =>
  matches.flatMap((match, index) => ("create" in match && match.namesake ? index : []));

/** Rows that are there several times, once. */
const unique = <T extends Candidate>(rows: readonly T[]): T[] =>
  rows.length < 2 ? [...rows] : [...new Map(rows.map((row) => [row.id, row])).values()];

function counted(values: readonly (string | undefined)[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

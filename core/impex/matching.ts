import { breathing } from "../threads/breath.ts";

/** The identifiers of a file's row; each may be missing. Any one of several names suffices. */
export interface Identity {
  /** The id written by an export, of this installation or another. */
  id?: string | undefined;
  number: string | undefined;
  name: string | readonly string[] | undefined;
}

/** The part of a stored row that matching needs. */
export interface Candidate {
  id: string;
  /** Its own number, if that decides whether a row of the file changes it. */
  number?: string | null;
}

/**
 * The decision for a row: it changes a stored one, creates a new one, or is rejected for a field. A new row is a `namesake` if only its id
 * distinguishes it from others with the same name.
 */
export type Match<T extends Candidate> = { change: T } | { create: true; namesake?: true } | { refuse: "id" | "number" | "name" };

/** Stored rows by the identifiers that a file can have. */
export interface StoredCandidates<T extends Candidate> {
  /** By the file's id, even if the stored row has a different one. */
  byId?: ReadonlyMap<string, T>;
  byNumber: ReadonlyMap<string, T>;
  /** By `sameName`. */
  byName: ReadonlyMap<string, readonly T[]>;
}

/** Names are compared like the database sorts them: accents count in any encoding, case does not. */
export const sameName = (name: string): string => name.normalize("NFC").toLowerCase();

/**
 * Matches each row by its id, then by its number, then by a name unique in both the stored rows and the file. Rejects a row that a second
 * import could not identify: an id or number twice in the file, or neither and a shared name. A row with an id unknown here is identified
 * by that id; rows without a key have an id derived from their content (`core/impex/row-identity.ts`).
 */
export async function matchRows<T extends Candidate>(
  rows: readonly Identity[],
  { byId = new Map(), byNumber, byName }: StoredCandidates<T>,
): Promise<Match<T>[]> {
  const each = <U>(value: (row: Identity, index: number) => U): Promise<U[]> => Array.fromAsync(breathing(rows), value);
  const ids = await counted(rows, ({ id }) => id);
  const numbers = await counted(rows, ({ number }) => number);
  const foundById = await each(({ id }) => (id === undefined ? undefined : byId.get(id)));
  const taken = new Set(foundById.flatMap((found) => found?.id ?? []));
  const foundByNumber = await each(({ number }, index) =>
    number === undefined || foundById[index] ? undefined : byNumber.get(number),
  );
  const claimed = new Set([...taken, ...foundByNumber.flatMap((found) => found?.id ?? [])]);
  const namesOf = await each(({ name }, index) => (foundById[index] ? [] : [...new Set([name ?? []].flat().map(sameName))]));
  const names = await counted(namesOf.flat(), (name) => name);
  const matches = await each(({ id, number }, index): Match<T> => {
    if (id !== undefined && (ids.get(id) ?? 0) > 1) return { refuse: "id" };
    const own = foundById[index];
    // Two rows may have the same number only if their stored rows already do.
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
  // Several names of one stored row may have matched several rows.
  const changed = await counted(matches, (match) => ("change" in match ? match.change.id : undefined));
  return matches.map((match) => ("change" in match && (changed.get(match.change.id) ?? 0) > 1 ? { refuse: "name" } : match));
}

/** The indexes of the namesakes. */
export const namesakesAmong = (matches: readonly Match<Candidate>[]): number[] =>
  matches.flatMap((match, index) => ("create" in match && match.namesake ? index : []));

/** Rows without duplicates. */
const unique = <T extends Candidate>(rows: readonly T[]): T[] =>
  rows.length < 2 ? [...rows] : [...new Map(rows.map((row) => [row.id, row])).values()];

async function counted<T>(things: readonly T[], read: (thing: T) => string | undefined): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const thing of breathing(things)) {
    const value = read(thing);
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

/** The words of an operation, grouped by weight. */
export interface Described {
  /** Its name and its path. */
  name: readonly string[];
  summary: readonly string[];
  /** Everything else. */
  about: readonly string[];
}

/** The weight of each word of an operation. */
export type Indexed = ReadonlyMap<string, number>;

const WEIGHTS = { name: 3, summary: 3, about: 1 } as const;
/** Weight of a prefix match, relative to the whole word. */
const BEGINNING = 0.5;
/** Shortest prefix that matches, in letters. */
const LETTERS = 3;
/** Most words of a query that count. */
const MOST_WORDS = 16;
/** Stop words. */
const EMPTY = new Set([
  "a",
  "an",
  "the",
  "of",
  "to",
  "in",
  "for",
  "and",
  "or",
  "by",
  "with",
  "on",
  "is",
  "are",
  "my",
  "all",
  "me",
]);
/** Words that callers use, mapped to those of the declarations. */
const SAID: Readonly<Record<string, string>> = {
  add: "create",
  client: "company",
  customer: "company",
  employee: "member",
  find: "list",
  holiday: "leave",
  hour: "time",
  make: "create",
  new: "create",
  remove: "delete",
  search: "list",
  show: "list",
  vacation: "leave",
};

/** Reduces a word to its singular: `companies` to `company`, `hours` to `hour`. */
const stem = (word: string): string => {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
};

/** The stemmed words of a text or name, whether `time.entries`, `time_entries` or `timeEntries`. */
export const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "" && !EMPTY.has(word))
    .map(stem);

export function indexed(described: Described): Indexed {
  const weights = new Map<string, number>();
  for (const part of ["about", "summary", "name"] as const)
    for (const word of described[part].flatMap(wordsOf)) weights.set(word, Math.max(weights.get(word) ?? 0, WEIGHTS[part]));
  return weights;
}

/** Score of a query word in an operation: full weight for the word, less for a prefix. */
function weightOf(words: Indexed, asked: string): number {
  const exact = words.get(asked) ?? 0;
  if (exact > 0 || asked.length < LETTERS) return exact;
  let most = 0;
  for (const [word, weight] of words) if (word.startsWith(asked)) most = Math.max(most, weight * BEGINNING);
  return most;
}

/** Ranks the matches, best first: rarer words count more. Ties keep their given order. */
export function ranked<T extends { indexed: Indexed }>(all: readonly T[], query: string): T[] {
  const asked = [...new Set(wordsOf(query).flatMap((word) => [word, SAID[word] ?? word]))].slice(0, MOST_WORDS);
  const scores = new Map<T, number>();
  for (const word of asked) {
    const hits = all.flatMap((one) => {
      const weight = weightOf(one.indexed, word);
      return weight > 0 ? [[one, weight] as const] : [];
    });
    const rarity = Math.log(1 + all.length / Math.max(1, hits.length));
    for (const [one, weight] of hits) scores.set(one, (scores.get(one) ?? 0) + weight * rarity);
  }
  return all.filter((one) => scores.has(one)).sort((a, b) => (scores.get(b) as number) - (scores.get(a) as number));
}

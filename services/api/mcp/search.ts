import { SAID } from "./said.ts";

/** The words of an operation, grouped by weight. */
export interface Described {
  /** Its name and its path. */
  name: readonly string[];
  summary: readonly string[];
  /** Everything else. */
  about: readonly string[];
}

/** The words of an operation as the search reads them. */
export interface Indexed {
  /** Each word with its weight. */
  weights: ReadonlyMap<string, number>;
  name: ReadonlySet<string>;
  summary: ReadonlySet<string>;
}

const WEIGHTS = { name: 3, summary: 3, about: 1 } as const;
/** Weight of a prefix match, relative to the whole word. */
const BEGINNING = 0.5;
/** Shortest prefix that matches, in letters. */
const LETTERS = 3;
/** Weight of a meaning, relative to the word that was asked for. */
const MEANT = 0.9;
/** What each word of a name costs that nobody asked for: `tasks.create` comes before `tasks.templates.create`. */
const UNASKED = 0.25;
/** The same of a summary: a short sentence that says what was asked comes before a long one that mentions it. */
const UNASKED_SAID = 0.03;
/** Most words of a query that count. */
const MOST_WORDS = 16;
/** Stop words, in English and Dutch. */
const EMPTY = new Set(
  `a about al alle alles all an and are at be bij can could dat de deze did die dit do does een en er for from had has have heb heeft het hoe
  hoeveel how i ik in into is it je kan liggen many me met mij much naar next of off om on one onze ons op or our out over please staan that
  the there this to toe two uit up us van volgende voor was we were what which wij will with would you your zijn`.split(/\s+/),
);

/** Reduces a word to its singular: `companies` to `company`, `hours` to `hour`. */
const stem = (word: string): string => {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
};

const plainWords = (text: string): string[] =>
  text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .map(stem);

/** The stemmed words of a text or name, whether `time.entries`, `time_entries` or `timeEntries`. */
export const tellingWords = (text: string): string[] => plainWords(text).filter((word) => !EMPTY.has(word));

export function indexed(described: Described): Indexed {
  const weights = new Map<string, number>();
  for (const part of ["about", "summary", "name"] as const)
    for (const word of described[part].flatMap(tellingWords)) weights.set(word, Math.max(weights.get(word) ?? 0, WEIGHTS[part]));
  return {
    weights,
    name: new Set(described.name.flatMap(tellingWords)),
    summary: new Set(described.summary.flatMap(tellingWords)),
  };
}

/** A word of a query with all that it may mean. */
type Asked = readonly (readonly [word: string, share: number])[];

/** The meanings of a word, also of a Dutch plural or infinitive: `klanten` as `klant`, `rollen` as `rol`. */
function meaningsOf(word: string): readonly string[] {
  const bare = word.endsWith("en") ? word.slice(0, -2) : word;
  const single = bare.replace(/([b-df-hj-np-tv-z])\1$/, "$1");
  return [word, bare, single].map((form) => SAID.get(form)).find((said) => said !== undefined) ?? [];
}

function askedIn(query: string): Asked[] {
  const words = plainWords(query);
  const asked: Asked[] = [];
  for (let index = 0; index < words.length && asked.length < MOST_WORDS; index++) {
    const word = words[index] as string;
    const pair = SAID.get(`${word} ${words[index + 1]}`);
    if (pair) {
      asked.push(pair.map((meant) => [meant, 1]));
      index++;
    } else if (!EMPTY.has(word)) asked.push([[word, 1], ...meaningsOf(word).map((meant) => [meant, MEANT] as const)]);
  }
  return [...new Map(asked.map((one) => [one.join(), one])).values()];
}

/** Score of a word in an operation: full weight for the word, less for a prefix. */
function weightOf({ weights }: Indexed, word: string): number {
  const exact = weights.get(word) ?? 0;
  if (exact > 0 || word.length < LETTERS) return exact;
  let most = 0;
  for (const [one, weight] of weights) if (one.startsWith(word)) most = Math.max(most, weight * BEGINNING);
  return most;
}

/** How near an operation is to what was asked: the more words its name and its summary have that nobody asked for, the less. */
const closeness = ({ name, summary }: Indexed, asked: readonly Asked[]): number => {
  const meant = new Set(asked.flatMap((one) => one.map(([word]) => word)));
  const unasked = (words: ReadonlySet<string>) => [...words].filter((word) => !meant.has(word)).length;
  return 1 / (1 + UNASKED * unasked(name) + UNASKED_SAID * unasked(summary));
};

/** The score of each operation for one word of the query, by its best meaning, and how rare that word is. */
function scoresOf<T extends { indexed: Indexed }>(all: readonly T[], asked: Asked): { scores: Map<T, number>; rarity: number } {
  const scores = new Map<T, number>();
  let most = 0;
  for (const [word, share] of asked) {
    const hits = all.flatMap((one) => {
      const weight = weightOf(one.indexed, word);
      return weight > 0 ? [[one, weight] as const] : [];
    });
    const rarity = share * Math.log(1 + all.length / Math.max(1, hits.length));
    if (hits.length > 0) most = Math.max(most, rarity);
    for (const [one, weight] of hits) scores.set(one, Math.max(scores.get(one) ?? 0, weight * rarity));
  }
  return { scores, rarity: most };
}

/**
 * Ranks the matches, best first: rarer words count more, operations that have all words of the query more than those that have some, and
 * those whose names say nothing else more than special ones. Ties keep their given order.
 */
export function ranked<T extends { indexed: Indexed }>(all: readonly T[], query: string): T[] {
  const asked = askedIn(query);
  const sums = new Map<T, { sum: number; found: number }>();
  let whole = 0;
  for (const one of asked) {
    const { scores, rarity } = scoresOf(all, one);
    whole += rarity;
    for (const [operation, score] of scores) {
      const { sum, found } = sums.get(operation) ?? { sum: 0, found: 0 };
      sums.set(operation, { sum: sum + score, found: found + rarity });
    }
  }
  const final = new Map([...sums].map(([one, { sum, found }]) => [one, ((sum * found) / whole) * closeness(one.indexed, asked)]));
  return all.filter((one) => final.has(one)).sort((a, b) => (final.get(b) as number) - (final.get(a) as number));
}

/** Whether the name of an operation has each word of a query, or what that may mean. */
export function isNamed({ name }: Indexed, query: string): boolean {
  const asked = askedIn(query);
  return asked.length > 0 && asked.every((one) => one.some(([word]) => name.has(word)));
}

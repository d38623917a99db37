import type { Values } from "../database/write.ts";
import { holds } from "../declare/permissions.ts";
import { isApiError } from "../errors/errors.ts";
import { request } from "../request/context.ts";
import { sameName } from "./matching.ts";

/** The fate of words that name nothing: the records are made, the words are left out, or each is an error. */
export type UnknownWords = "create" | "leave_out" | "refuse";

/** The words that a column may have: names of records that exist. */
export interface KnownWords {
  /** Whether a word names exactly one record. */
  has(word: string): boolean;
  /** The words in one part of a list; without it, the part itself. */
  split?(part: string): string[];
  /** How records are made of other words; absent if they never are, such as members. */
  create?: {
    needs: string;
    /** Makes a record of each word, as far as its rules allow. @returns the number of records */
    make(words: readonly string[]): number;
  };
  /** True if a row without the value would mean something else: the whole row is left out. */
  isEssential?: true;
  /** True if the parts of the list belong to those of other columns, so that a word that is left out leaves a blank. */
  keepsPlaces?: true;
}
/** By column. */
export type KnownColumns = Readonly<Record<string, KnownWords>>;

/** What a file asks of the words in it. */
export interface WordsOfFile {
  /** The distinct words of a column. */
  in(column: string): Promise<ReadonlySet<string>>;
  /** True if words that name nothing are left out, or records are made of them. */
  decides: boolean;
  /** Keys of the enabled switches. */
  switched: ReadonlySet<string>;
}

/** A word without the brackets and separators that lists of other tools have: `[a, b]` is two words. */
export const wordsInBrackets = (part: string): string[] =>
  part
    .replace(/^\s*\[(.*)\]\s*$/s, "$1")
    .split(",")
    .flatMap((word) => word.trim() || []);

/** The words of a value, with those that name nothing. */
function wordsOf(value: unknown, { has, split }: KnownWords): { words: string[]; unknown: string[] } {
  const parts = (Array.isArray(value) ? value : [value]).map((part) => String(part).trim());
  const words = parts.flatMap((part) => (part === "" || has(part) || !split ? part : split(part)));
  return { words, unknown: words.filter((word) => word !== "" && !has(word)) };
}

/** A row whose lists have one word in each part; an empty list is no value. */
export function withSplitWords(values: Values, known: KnownColumns): Values {
  const split: Values = { ...values };
  for (const [column, words] of Object.entries(known)) {
    if (!words.split || !Array.isArray(values[column])) continue;
    split[column] = wordsOf(values[column], words).words;
    if ((split[column] as string[]).length === 0) delete split[column];
  }
  return split;
}

/** A row without the words that name nothing, and those words by column; `isSkipped` if it means nothing without them. */
export function withoutUnknown(
  values: Values,
  known: KnownColumns,
): { values: Values; left: (readonly [column: string, word: string])[]; isSkipped: boolean } {
  const kept: Values = { ...values };
  const left: (readonly [string, string])[] = [];
  let isSkipped = false;
  for (const [column, words] of Object.entries(known)) {
    const value = values[column];
    if (value === undefined) continue;
    const { words: all, unknown } = wordsOf(value, words);
    if (unknown.length === 0) continue;
    left.push(...unknown.map((word) => [column, word] as const));
    isSkipped ||= words.isEssential === true;
    const rest = words.keepsPlaces ? all.map((word) => (unknown.includes(word) ? "" : word)) : all.filter(words.has);
    if (Array.isArray(value) && rest.some(Boolean)) kept[column] = rest;
    else delete kept[column];
  }
  return { values: kept, left, isSkipped };
}

/** Makes records of the unknown words in these rows, where the caller may. @returns their number */
export async function makeUnknown(rows: AsyncIterable<Values>, known: KnownColumns): Promise<number> {
  const grants = request().principal?.grants ?? [];
  const made = Object.entries(known).flatMap(([column, words]) =>
    words.create && holds(grants, words.create.needs) ? [{ column, words, found: new Map<string, string>() }] : [],
  );
  if (made.length === 0) return 0;
  for await (const values of rows)
    for (const { column, words, found } of made)
      if (values[column] !== undefined)
        for (const word of wordsOf(values[column], words).unknown) found.set(sameName(word), word);
  return made.reduce((sum, { words, found }) => sum + (words.create?.make([...found.values()]) ?? 0), 0);
}

/**
 * Makes a record of each word whose body is allowed.
 * @param bodyOf the body of a word's record; undefined if it can have none
 * @param check throws the API error of a body that is not allowed
 * @returns the number of records
 */
export function recordsOfWords<Body>(
  words: readonly string[],
  bodyOf: (word: string) => Body | undefined,
  { check, store }: { check: (body: unknown) => void; store: (body: Body, word: string) => void },
): number {
  let made = 0;
  for (const word of words) {
    const body = bodyOf(word);
    if (body === undefined) continue;
    try {
      check(body);
    } catch (error) {
      if (isApiError(error)) continue;
      throw error;
    }
    store(body, word);
    made++;
  }
  return made;
}

/** A key made of a word: `Wacht op klant` is `wacht_op_klant`; empty if nothing remains. */
export const keyOfWord = (word: string): string =>
  word
    .normalize("NFD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 50);

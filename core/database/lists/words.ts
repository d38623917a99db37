/** A word, a phrase in double quotes at word boundaries, or a phrase whose closing quote is not typed yet. */
const WORD = /"([^"]+)"(?!\S)|"([^"]+)$|(\S+)/gu;

/**
 * Splits `q` into words, each of which must occur: text between blanks, or a phrase in double quotes. A quote inside a word is text
 * (`27"`). The character that separates the fields of a `search_text` matches nothing when a caller types it.
 * @returns the distinct words; undefined if `q` is absent or blank, which filters nothing
 */
export function searchWords(q: string | undefined): string[] | undefined {
  const found = q?.trim().replaceAll("\u001f", "\u001e").matchAll(WORD) ?? [];
  const words = new Set(Array.from(found, ([, phrase, unfinished, word]) => (phrase ?? unfinished ?? word) as string));
  return words.size > 0 ? [...words] : undefined;
}

/** Filters rows that contain every word of an array in any of the fields, for lists without `search_text`: it reads each row. */
export const wordsIn = (...fields: [string, ...string[]]) => ({
  type: "text[]",
  when: (slot: string) =>
    `folded(concat_ws(E'\\x1f', ${fields.join(", ")})) like all ((select word_patterns(folded_words(${slot})))::text[])`,
});

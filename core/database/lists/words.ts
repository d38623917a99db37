/** A phrase in double quotes that begin and end a word, one whose end is still to be typed, or a word. */
const WORD = /"([^"]+)"(?!\S)|"([^"]+)$|(\S+)/gu;

/**
 * The words of `q`, each of which must occur: what stands between blanks, and in double quotes a phrase with its blanks. A quote inside of a
 * word is text (`27"`). The character that keeps the fields of a `search_text` apart finds nothing when a caller types it.
 * @returns each once; undefined where `q` is absent or blank, which filters nothing
 */
export function wordsOf(q: string | undefined): string[] | undefined {
  const found = q?.trim().replaceAll("\u001f", "\u001e").matchAll(WORD) ?? [];
  const words = new Set(Array.from(found, ([, phrase, unfinished, word]) => (phrase ?? unfinished ?? word) as string));
  return words.size > 0 ? [...words] : undefined;
}

/** A filter that wants every word of an array in any of the fields, for lists without a `search_text`: it looks at each row. */
export const wordsIn = (...fields: [string, ...string[]]) => ({
  type: "text[]",
  when: (slot: string) =>
    `folded(concat_ws(E'\\x1f', ${fields.join(", ")})) like all ((select word_patterns(folded_words(${slot})))::text[])`,
});

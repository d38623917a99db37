/** Longest term or phrase of a policy, in characters. */
export const LONGEST_TERM = 80;
/** Terms that one list may resolve to; what comes after them is left out. */
export const MOST_TERMS = 500;

/**
 * A text as terms and phrases are compared: trimmed, spaces collapsed, case folded (`Straße` and `STRASSE` are one). Accents count: to the
 * provider `café` and `cafe` are two words.
 */
export const normalised = (text: string): string =>
  text.normalize("NFC").trim().replace(/\s+/gu, " ").toUpperCase().toLowerCase().normalize("NFC");

/** The terms of a list as they are stored: normalised, without blank ones and repetitions, in their order. */
export const normalisedTerms = (terms: readonly string[]): string[] =>
  [...new Set(terms.map(normalised))].filter((term) => term !== "");

/**
 * The words that the provider compares: punctuation separates them, as it does not tell `running-shoes` from `running shoes`. A text of
 * nothing but punctuation is its own words.
 */
export function wordsIn(text: string): string[] {
  const whole = normalised(text);
  const words = whole.match(/[\p{L}\p{N}\p{M}]+/gu);
  return words ?? (whole === "" ? [] : whole.split(" "));
}

/** Longest term or phrase of a policy, in characters. */
export const LONGEST_TERM = 80;
/** Most terms of a resolved list; further terms are dropped. */
export const MOST_TERMS = 500;

/**
 * Normalises text for comparison: trims it, collapses spaces and folds case (`Straße` equals `STRASSE`). Accents count: to the provider
 * `café` and `cafe` are two words.
 */
export const normalised = (text: string): string =>
  text.normalize("NFC").trim().replace(/\s+/gu, " ").toUpperCase().toLowerCase().normalize("NFC");

/** The stored form of a list: normalised terms in their order, without blank or duplicate ones. */
export const normalisedTerms = (terms: readonly string[]): string[] =>
  [...new Set(terms.map(normalised))].filter((term) => term !== "");

/**
 * The words that the provider compares. Punctuation separates words, because to the provider `running-shoes` equals `running shoes`. Text
 * that is only punctuation is split at spaces.
 */
export function wordsIn(text: string): string[] {
  const whole = normalised(text);
  const words = whole.match(/[\p{L}\p{N}\p{M}]+/gu);
  return words ?? (whole === "" ? [] : whole.split(" "));
}

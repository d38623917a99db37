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

/** Latin capitals by the Cyrillic and Greek ones that look like them. */
const LOOK_ALIKES = new Map(
  [
    ["АВЕЅІЈКМНОРСТУХҺԀԚԜ", "ABESIJKMHOPCTYXHDQW"],
    ["ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"],
  ].flatMap(([others = "", latin = ""]) => [...others].map((letter, at) => [letter, latin[at] as string] as const)),
);

/**
 * The form in which words are compared with a policy, so that no disguise passes (marketing-ads §3.8): compatible characters, letters that
 * look Latin, and case are one, invisible characters and marks go, and separators are spaces. Letters are compared as capitals, so that a
 * Greek or Russian word equals itself in either case.
 */
export const undisguised = (text: string): string =>
  normalised(
    text
      .normalize("NFKC")
      .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
      .toUpperCase()
      .normalize("NFD")
      .replace(/\p{M}/gu, "")
      .replace(/[\p{Script=Cyrillic}\p{Script=Greek}]/gu, (letter) => LOOK_ALIKES.get(letter) ?? letter)
      .replace(/[\p{Pd}_.]/gu, " "),
  );

/** The stored form of a list: normalised terms in their order, without blank or duplicate ones. */
export const normalisedTerms = (terms: readonly string[]): string[] =>
  [...new Set(terms.map(normalised))].filter((term) => term !== "");

/**
 * The words that are compared with a policy. Punctuation separates words, because to the provider `running-shoes` equals `running shoes`. Text
 * that is only punctuation is split at spaces.
 */
export function wordsIn(text: string): string[] {
  const whole = undisguised(text);
  const words = whole.match(/[\p{L}\p{N}\p{M}]+/gu);
  return words ?? (whole === "" ? [] : whole.split(" "));
}

import { GenerationRefused } from "./refused.ts";

/** A word, and what stands for it in the files that are written. */
export type Replacements = readonly (readonly [from: string, to: string])[];

const WORD = /^[a-z][a-z0-9]{1,29}$/;
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** @throws GenerationRefused unless the word can name a folder, a table, a path and a variable */
function requireWord(word: string, what: string): void {
  if (!WORD.test(word))
    throw new GenerationRefused(
      `'${word}' is not ${what}: it has 2 to 30 small letters and digits and begins with a letter, such as 'shelves'.`,
    );
}

/**
 * The singular of an English plural by its ending, null where the ending does not say it.
 * Words such as `houses` and `statuses` have the same ending with and without the e: those need `--singular`.
 */
export function singularOf(plural: string): string | null {
  if (/[^aeiou]ies$/.test(plural)) return plural.replace(/ies$/, "y");
  if (/(ss|x|ch|sh)es$/.test(plural)) return plural.slice(0, -2);
  if (/(us|s|z|v)es$/.test(plural) || /(ss|us|is)$/.test(plural) || !plural.endsWith("s")) return null;
  return plural.slice(0, -1);
}

/**
 * How the words of the module in docs/modules.md are replaced.
 * @param name the plural of its records
 * @throws GenerationRefused for an unusable name, and for a plural whose singular must be given
 */
export function moduleNames(name: string, given: { singular?: string | undefined; dutch?: string | undefined }): Replacements {
  requireWord(name, "the name of a module");
  const singular = given.singular ?? singularOf(name);
  if (singular === null)
    throw new GenerationRefused(`The ending of '${name}' does not say its singular: name it with --singular.`);
  requireWord(singular, "the name of a record");
  const dutch = capital(given.dutch ?? name);
  if (!/^\p{L}[\p{L}\d -]*$/u.test(dutch)) throw new GenerationRefused(`'${given.dutch}' is not a Dutch plural: it has letters.`);
  return [
    ["bookmarks", name],
    ["Bookmarks", capital(name)],
    ["bookmark", singular],
    ["Bookmark", capital(singular)],
    ["Bladwijzers", dutch],
  ];
}

/**
 * How the words of the integration in docs/integrations.md are replaced.
 * @param name of the provider
 * @throws GenerationRefused for an unusable name
 */
export function integrationNames(name: string): Replacements {
  requireWord(name, "the name of an integration");
  return [
    ["pulse", name],
    ["Pulse", capital(name)],
    ["PULSE", name.toUpperCase()],
  ];
}

/** The text with every word replaced, the longest first, and with the article that the new word has. */
export function renamed(text: string, replacements: Replacements): string {
  const words = new Map(replacements);
  const longestFirst = [...words.keys()].toSorted((one, other) => other.length - one.length).join("|");
  return text.replace(new RegExp(`(\\ba )?(${longestFirst})`, "g"), (_, article: string | undefined, word: string) => {
    const to = words.get(word) as string;
    return (article && /^[aeiou]/i.test(to) ? "an " : (article ?? "")) + to;
  });
}

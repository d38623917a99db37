/** A language tag as far as documents use it: language, and region or script (RFC 5646 §2.1). */
const TAG = /^[a-z]{2,3}([-_]([a-z]{2}|[a-z]{4}|[0-9]{3}))?$/i;

/** The names of CLDR; undefined for a code that it does not know. */
const languages = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** Whether a text is the tag of a language that exists, alone or with a region or script that exists: `nl`, `nl-BE`, `nl_BE`, `sr-Latn`. */
export const isLocale = (text: string): boolean => TAG.test(text) && languages.of(text.replace("_", "-")) !== undefined;

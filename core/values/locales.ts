/** A language tag as documents use it: language, and optional region or script (RFC 5646 §2.1). */
const TAG = /^[a-z]{2,3}([-_]([a-z]{2}|[a-z]{4}|[0-9]{3}))?$/i;

/** The language names of CLDR; undefined for an unknown code. */
const languages = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** Whether a text is the tag of an existing language, optionally with region or script: `nl`, `nl-BE`, `nl_BE`, `sr-Latn`. */
export const isLocale = (text: string): boolean => TAG.test(text) && languages.of(text.replace("_", "-")) !== undefined;

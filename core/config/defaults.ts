/** Zone of an organisation that never chose one (conventions §15). */
export const DEFAULT_ZONE = "Europe/Amsterdam";

/** The languages the service writes in (conventions §15). */
export const LOCALES = ["nl", "en"] as const;
export type Locale = (typeof LOCALES)[number];
/** Language of a person who never chose one. */
export const DEFAULT_LOCALE: Locale = "nl";

/** The first of the given languages that the service writes, else the instance's own. */
export const localeOf = (...wanted: readonly (string | null | undefined)[]): Locale =>
  wanted.map((one) => LOCALES.find((locale) => locale === one)).find((locale) => locale !== undefined) ?? DEFAULT_LOCALE;

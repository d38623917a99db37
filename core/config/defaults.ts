import { namedValues } from "../naming/named-values.ts";

/** Time zone of an organisation without its own choice (conventions §15). */
export const DEFAULT_ZONE = "Europe/Amsterdam";

/** The languages of the service's texts (conventions §15). */
export const LOCALES = namedValues("Locale", ["nl", "en"]);
export type Locale = (typeof LOCALES)[number];
/** Language of a person without their own choice. */
export const DEFAULT_LOCALE: Locale = "nl";

/** The first supported language among the given ones, otherwise the instance's default. */
export const localeOf = (...wanted: readonly (string | null | undefined)[]): Locale =>
  wanted.map((one) => LOCALES.find((locale) => locale === one)).find((locale) => locale !== undefined) ?? DEFAULT_LOCALE;

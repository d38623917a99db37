/** What an organisation gets that never chose (conventions §15). */
export const DEFAULT_LOCALE = "nl";
export const DEFAULT_ZONE = "Europe/Amsterdam";
export const DEFAULT_CURRENCY = "EUR";
export const DEFAULT_COUNTRY = "NL";

/** The locales of Mollie's payment pages; the first of a language is its default. */
const SPOKEN = [
  "nl_NL",
  "nl_BE",
  "en_GB",
  "en_US",
  "en_NL",
  "en_BE",
  "de_DE",
  "de_AT",
  "de_CH",
  "de_LU",
  "fr_FR",
  "fr_BE",
  "fr_LU",
  "es_ES",
  "ca_ES",
  "pt_PT",
  "it_IT",
  "nb_NO",
  "sv_SE",
  "fi_FI",
  "da_DK",
  "is_IS",
  "hu_HU",
  "pl_PL",
  "lv_LV",
  "lt_LT",
  "cs_CZ",
  "sk_SK",
] as const;

/** Maps Norwegian to Bokmål, the most common form. */
const OTHER_NAMES: Readonly<Record<string, string>> = { no: "nb", nn: "nb" };

/** Maps a document's locale (`nl`, `nl-BE`) to Mollie's `xx_XX`; undefined if its pages do not support it. */
export function mollieLocale(locale: string): string | undefined {
  const [given = "", region = ""] = locale.split(/[-_]/);
  const language = OTHER_NAMES[given.toLowerCase()] ?? given.toLowerCase();
  const exact = `${language}_${region.toUpperCase()}`;
  return SPOKEN.find((spoken) => spoken === exact) ?? SPOKEN.find((spoken) => spoken.startsWith(`${language}_`));
}

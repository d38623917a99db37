/** The locales Mollie's payment pages speak, by language; the first of a language is where only that is known. */
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

/** Norwegian without a form of it is Bokmål to most. */
const OTHER_NAMES: Readonly<Record<string, string>> = { no: "nb", nn: "nb" };

/** A document's locale (`nl`, `nl-BE`) as Mollie takes it, `xx_XX`, or undefined where its pages do not speak it. */
export function mollieLocale(locale: string): string | undefined {
  const [given = "", region = ""] = locale.split(/[-_]/);
  const language = OTHER_NAMES[given.toLowerCase()] ?? given.toLowerCase();
  const exact = `${language}_${region.toUpperCase()}`;
  return SPOKEN.find((spoken) => spoken === exact) ?? SPOKEN.find((spoken) => spoken.startsWith(`${language}_`));
}

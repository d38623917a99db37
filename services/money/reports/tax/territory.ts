/** The member states of the European Union (ISO 3166-1). */
const MEMBER_STATES = new Set("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split(" "));
/** Codes that VAT numbers and people use for a country. */
const CODES: Readonly<Record<string, string>> = { EL: "GR", UK: "GB" };

/** Where a client is, as seen from the seller. */
export type Territory = "domestic" | "eu" | "outside_eu";

/** The ISO 3166-1 code of a country, from that code or from the prefix of a VAT number: `EL` is Greece. */
export const countryOf = (code: string): string => CODES[code] ?? code;

/** Where a client's country is, as seen from the seller's. Seen from a country that is no member state, every other one is outside. */
export function territoryOf(country: string, home: string): Territory {
  const [there, here] = [countryOf(country), countryOf(home)];
  if (there === here) return "domestic";
  return MEMBER_STATES.has(there) && MEMBER_STATES.has(here) ? "eu" : "outside_eu";
}

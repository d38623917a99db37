/** Headers of the column in which a list of people and companies together says which of both a row is (Odoo, Moneybird). */
export const IS_COMPANY = ["is company", "is a company", "is een bedrijf", "company type", "ist ein unternehmen"];

/** What stands in that column, in words of the tools that have it. */
export const COMPANY_OR_PERSON: Readonly<Record<string, readonly string[]>> = {
  company: ["true", "1", "yes", "ja", "waar", "wahr", "bedrijf", "organisatie", "organization", "unternehmen"],
  person: [
    "false",
    "0",
    "no",
    "nee",
    "nein",
    "onwaar",
    "falsch",
    "individual",
    "persoon",
    "particulier",
    "person",
    "einzelperson",
  ],
};

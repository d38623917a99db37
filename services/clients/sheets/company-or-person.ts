/** Headers of the column that says whether a row is a person or a company, in lists of both (Odoo, Moneybird). */
export const IS_COMPANY = ["is company", "is a company", "is een bedrijf", "company type", "ist ein unternehmen"];

/** The values of that column, in the words of those tools. */
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

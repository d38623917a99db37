import type { Field } from "../../../core/impex/field.ts";
import { COMPANY_OR_PERSON, IS_COMPANY } from "./company-or-person.ts";
import { joined, splitName } from "./person-names.ts";

/**
 * The columns of a company spreadsheet: keys, Dutch, English and German headers, those of other tools' exports, and the words for their
 * values. Headers match without case, spaces and punctuation; of several matching columns the first non-blank value counts.
 */
const FIRST_NAMES = [
  "voornaam contactpersoon",
  "contactpersoon voornaam",
  "contact voornaam",
  "voornaam",
  "first name",
  "firstname",
  "vorname",
];
const LAST_NAMES = [
  "achternaam contactpersoon",
  "contactpersoon achternaam",
  "contact achternaam",
  "achternaam",
  "last name",
  "lastname",
  "nachname",
];
const INFIXES = ["tussenvoegsel contactpersoon", "tussenvoegsel", "voorvoegsel", "voorvoegsels"];
const FULL_NAMES = [
  "contactpersoon",
  "naam contactpersoon",
  "contact person",
  "contact name",
  "factuur t.a.v.",
  "t.a.v.",
  "send invoices to attention",
  "ansprechpartner",
];
/** Other tools' words for an account type, by the status word they mean. Suppliers, partners and other types are not a status. */
const ACCOUNT_TYPES: ReadonlyMap<string, string> = new Map([
  ...["customer", "customer - direct", "customer - channel", "client", "klant", "kunde", "debiteur"].map(
    (word) => [word, "customer"] as const,
  ),
  ...["prospect", "lead", "suspect", "interessent"].map((word) => [word, "prospect"] as const),
]);
const STREETS = [
  ...["straat", "straatnaam", "adres", "adresregel 1", "street", "address", "adres 1", "address 1", "address line 1"],
  ...["street address", "bezoekadres", "straat en huisnummer", "business street", "straße", "strasse", "anschrift"],
  ...[
    "organization - street/road name of address",
    "billing street",
    "billing address",
    "billing address line 1",
    "factuuradres",
  ],
  ...["street 1", "street1", "organization - address"],
];
const linesOf = (text: string): string[] => text.split(/\s*[\r\n]+\s*/).filter(Boolean);
const DOMAINS = ["company domain name", "domain", "domein", "domeinnaam"];
const HOUSE_NUMBERS = [
  ...["house_number", "huisnummer", "huisnr", "hausnummer", "hausnr", "organization - house number of address"],
];

const NUMBERS = ["nummer", "number", "nr", "no", "num"];

export const COMPANY_COLUMNS: readonly Field[] = [
  { key: "id", kind: "id" },
  {
    key: "name",
    kind: "text",
    required: true,
    trimmed: true,
    names: [
      ...["bedrijfsnaam", "company name", "company", "bedrijf", "organisatie", "klantnaam", "klant", "naam"],
      ...["relatienaam", "debiteurnaam", "handelsnaam", "organization name", "organisation name", "account name"],
      ...["firmenname", "firma", "unternehmen", "unternehmensname", "kundenname"],
    ],
    shapes: [
      // A private person in the company list of a bookkeeping package.
      { from: [FIRST_NAMES, INFIXES, LAST_NAMES], read: joined },
      { from: [FULL_NAMES], read: (name) => name },
      { from: [DOMAINS], read: (domain) => domain },
    ],
  },
  { key: "legal_name", kind: "text", names: ["statutaire naam", "juridische naam", "rechtspersoon", "official name"] },
  {
    key: "client_number",
    kind: "text",
    // Exact Online also pads its codes.
    trimmed: true,
    names: [
      ...["klantnummer", "klantnr", "customer number", "relatienummer", "debiteurnummer", "debiteurnr"],
      ...["klantcode", "relatiecode", "debiteurcode", "customer id", "customer code", "kundennummer", "debitorennummer"],
      "account number",
    ],
    guesses: [{ names: ["code"] }, { names: NUMBERS }],
  },
  {
    key: "status",
    kind: "choice",
    names: ["lifecycle stage", "levenscyclusfase", "klantstatus", "relatiestatus", "kundenstatus"],
    shapes: [
      {
        from: [["account type", "type", "relatietype", "soort relatie"]],
        read: (type) => ACCOUNT_TYPES.get(type.toLowerCase()) ?? "",
      },
    ],
    choices: {
      lead: [
        ...["prospect", "suspect", "potentiële klant", "interessent", "potenzieller kunde", "opportunity", "subscriber"],
        ...["marketing qualified lead", "sales qualified lead"],
      ],
      onboarding: ["startend", "in onboarding", "einarbeitung"],
      active: ["actief", "klant", "customer", "client", "evangelist", "aktiv", "kunde", "bestandskunde"],
      offboarding: ["vertrekkend", "opzegging", "in offboarding", "gekündigt"],
      archived: [
        ...["gearchiveerd", "inactief", "inactive", "vervallen", "geblokkeerd", "blocked", "former customer", "oud-klant"],
        ...["archiviert", "inaktiv", "ehemalig", "gesperrt"],
      ],
      "": ["geen", "none", "keine", "other", "overig", "onbekend", "unknown"],
    },
  },
  {
    key: "website",
    kind: "text",
    names: [
      "url",
      "webadres",
      "webpagina",
      "homepage",
      "website url",
      "web page",
      "internet",
      "internetadres",
      "webseite",
      "website link",
      "organization - website",
      ...DOMAINS,
    ],
  },
  {
    key: "phone",
    kind: "phone",
    names: [
      ...["telefoon", "telefoonnummer", "tel", "phone number", "telephone", "telefoon 1", "hoofdnummer", "main phone"],
      ...["company phone", "telefon", "telefonnummer"],
    ],
  },
  {
    key: "invoice_email",
    kind: "emails",
    names: [
      ...["e-mail facturen", "e-mail facturatie", "factuur e-mail", "billing e-mail", "facturen versturen naar"],
      ...["e-mailadres facturen", "e-mailadres voor facturen", "send invoices to email", "rechnungs-e-mail"],
      ...["e-mail", "e-mailadres", "email address", "e-mail-adresse", "mail"],
    ],
  },
  {
    key: "vat_number",
    kind: "text",
    names: [
      "btw-nummer",
      "btw-nr",
      "btw-id",
      "btw",
      "vat id",
      "vat",
      "tax number",
      "tax id",
      "ust-id",
      "ust-idnr",
      "umsatzsteuer-id",
    ],
  },
  {
    key: "coc_number",
    kind: "text",
    names: [
      ...["kvk-nummer", "kvk-nr", "kvk", "handelsregisternummer", "coc", "kamer van koophandel"],
      ...["chamber of commerce", "chamber of commerce number", "handelsregister", "registration number"],
      ...["nationaal nummer", "nationaal identificatienummer", "national number", "national identification number"],
      ...["ondernemingsnummer", "enterprise number", "company registration number", "nationale nummer"],
    ],
  },
  {
    key: "address_line1",
    kind: "text",
    names: STREETS,
    // The first line of a multi-line street; the rest is the second address line.
    shapes: [
      { first: true, from: [STREETS], read: (street) => (linesOf(street).length > 1 ? (linesOf(street)[0] as string) : "") },
    ],
  },
  {
    key: "house_number",
    kind: "text",
    names: HOUSE_NUMBERS,
    guesses: [{ names: NUMBERS, nextTo: STREETS }],
    shapes: [
      {
        first: true,
        from: [HOUSE_NUMBERS, ["toevoeging", "huisnummertoevoeging", "huisnr. toevoeging", "house number addition"]],
        read: (number, addition) => (number && addition ? `${number} ${addition}` : ""),
      },
    ],
  },
  {
    key: "address_line2",
    kind: "text",
    names: [
      ...["adresregel 2", "adres 2", "address 2", "address line 2", "street address 2", "business street 2", "adresszusatz"],
      ...["street 2", "street2", "billing street 2", "billing address line 2", "organization - apartment/suite no of address"],
    ],
    shapes: [{ from: [STREETS], read: (street) => linesOf(street).slice(1).join(", ") }],
  },
  {
    key: "postal_code",
    kind: "text",
    names: [
      ...["postcode", "zip code", "zip", "zip/postal code", "post code", "business postal code", "plz", "postleitzahl"],
      ...["billing postal code", "billing zip/postal code", "billing zip", "billing code", "factuurpostcode"],
      ...["organization - zip/postal code of address", "organization - zip/postal code"],
    ],
  },
  {
    key: "city",
    kind: "text",
    names: [
      "plaats",
      "woonplaats",
      "vestigingsplaats",
      "stad",
      "plaatsnaam",
      "gemeente",
      "town",
      "business city",
      "ort",
      "stadt",
      "billing city",
      "organization - city/town/village/locality of address",
      "organization - city/town/village/locality",
    ],
  },
  {
    key: "country",
    kind: "country",
    names: [
      ...["landcode", "land", "country code", "country/region", "land/regio", "landnaam"],
      ...["business country", "business country/region", "billing country", "billing country code", "country_id"],
      ...["organization - country of address", "organization - country"],
    ],
  },
  {
    key: "notes",
    kind: "text",
    names: [
      ...["notities", "opmerkingen", "opmerking", "notitie", "memo", "bijzonderheden", "omschrijving", "toelichting"],
      ...[
        "comments",
        "comment",
        "remarks",
        "note",
        "description",
        "about us",
        "notizen",
        "bemerkung",
        "bemerkungen",
        "anmerkungen",
      ],
    ],
  },
  {
    key: "contact_first_name",
    kind: "text",
    trimmed: true,
    importOnly: true,
    names: FIRST_NAMES,
    shapes: [{ from: [FULL_NAMES], read: (name) => splitName(name).first }],
  },
  {
    key: "contact_last_name",
    kind: "text",
    trimmed: true,
    importOnly: true,
    names: LAST_NAMES,
    shapes: [
      { first: true, from: [INFIXES, LAST_NAMES], read: (infix, last) => (infix && last ? joined(infix, last) : "") },
      {
        from: [FULL_NAMES, FIRST_NAMES],
        read: (name, first) => (first ? "" : splitName(name).last),
      },
    ],
  },
  {
    key: "contact_email",
    kind: "email",
    importOnly: true,
    names: ["e-mail contactpersoon", "e-mailadres contactpersoon", "contactpersoon e-mail"],
  },
  {
    key: "contact_phone",
    kind: "phone",
    importOnly: true,
    names: ["telefoon contactpersoon", "contactpersoon telefoon", "mobiel contactpersoon", "mobiel", "mobile", "mobil"],
  },
  {
    key: "contact_role",
    kind: "text",
    importOnly: true,
    names: [
      "functie contactpersoon",
      "rol contactpersoon",
      "contactpersoon functie",
      "contact job title",
      "functie",
      "rol",
      "role",
    ],
  },
  // In a list of people and companies together, companies are imported; people of a company are skipped.
  { key: "is_company", kind: "choice", importOnly: true, foreign: true, names: IS_COMPANY, choices: COMPANY_OR_PERSON },
  {
    key: "related_company",
    kind: "text",
    importOnly: true,
    foreign: true,
    names: ["related company", "gerelateerd bedrijf", "parent name", "parent_id"],
  },
];

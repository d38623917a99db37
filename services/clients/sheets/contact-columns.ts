import type { Field } from "../../../core/impex/field.ts";
import { COMPANY_OR_PERSON, IS_COMPANY } from "./company-or-person.ts";
import { allAddresses, allNumbers } from "./other-columns.ts";
import { isInfix, isSalutation, joined, splitName, vcardName, withMiddle } from "./person-names.ts";

/**
 * The columns of a contact spreadsheet: keys, Dutch, English and German headers, and those of other tools' exports, full names and vCards.
 * Headers match without case, spaces and punctuation; of several matching columns the first non-blank value counts.
 */
const FIRST_NAMES = ["first_name", "person - first name", "voornaam", "given name", "firstname", "roepnaam", "vorname"];
const LAST_NAMES = [
  "last_name",
  "person - last name",
  "achternaam",
  "surname",
  "family name",
  "lastname",
  "familienaam",
  "nachname",
];
const INFIXES = ["tussenvoegsel", "voorvoegsel", "voorvoegsels"];
const MIDDLE_NAMES = ["middle name", "additional name", "tweede voornaam", "middelste naam", "zweiter vorname"];
const FULL_NAMES = [
  ...["fn", "full name", "volledige naam", "naam", "name", "contactnaam", "contact name", "weergavenaam", "display name"],
  ...["contactpersoon", "contact person", "vollständiger name", "ansprechpartner", "person - name"],
];
const VCARD_NAMES = ["n"];

/** The headers of a vCard property with the types it can have, in every spelling (RFC 6350 §5.6). */
const vcard = (property: string, types: readonly string[]): string[] => [
  property,
  ...types.flatMap((type) => [`${property};${type}`, `${property};type=${type}`]),
];
const NUMBER_TYPES = [
  ...[
    "work",
    "cell",
    "voice",
    "pref",
    "home",
    "work,voice",
    "cell,voice",
    "home,voice",
    "work;voice",
    "cell;voice",
    "home;voice",
  ],
  ...[
    "work,pref",
    "cell,pref",
    "voice,work",
    "voice,cell",
    "work;type=voice",
    "cell;type=voice",
    "cell;type=pref",
    "work;type=pref",
  ],
];
const ADDRESS_TYPES = [
  ...["internet", "work", "pref", "home", "internet,work", "internet,home", "internet,pref", "work,internet", "home,internet"],
  ...["internet;work", "internet;home", "internet;pref", "internet;type=work", "internet;type=home", "internet;type=pref"],
];

const EMAILS = [
  ...["e-mailadres", "email address", "mail", "e-mail 1 - value", "e-mail 1 address", "primary email", "work email"],
  ...["e-mail-adresse", "e-mail werk", "e-mail zakelijk", "e-mail 2 address", "e-mail 2 - value", "e-mail 3 address"],
  ...["person - email - work", "person - email", "person - email - home", "person - email - other"],
  ...["e-mail 3 - value", "e-mail 4 - value", "secondary email"],
  ...vcard("email", ADDRESS_TYPES),
];
const PHONES = [
  ...["telefoon", "telefoonnummer", "phone number", "primary phone", "business phone", "telefoon werk", "telefoon zakelijk"],
  ...["telefoon op werk", "zakelijke telefoon", "zakelijk telefoonnummer", "hoofdtelefoonnummer bedrijf"],
  ...["work phone", "mobiel", "mobile", "mobile phone", "mobile phone number", "mobiele telefoon", "telefoon mobiel", "gsm"],
  ...[
    "phone 1 - value",
    "company main phone",
    "telefon",
    "telefonnummer",
    "telefon geschäftlich",
    "mobil",
    "mobiltelefon",
    "handy",
  ],
  ...["phone 2 - value", "business phone 2", "home phone", "home phone 2", "telefoon thuis", "other phone", "telefon privat"],
  ...["phone 3 - value", "phone 4 - value", "phone 5 - value"],
  ...["person - phone - work", "person - phone", "person - phone - mobile", "person - phone - home", "person - phone - other"],
  ...vcard("tel", NUMBER_TYPES),
];
const beginsWith = (full: string, first: string): boolean => full.toLowerCase().startsWith(`${first.toLowerCase()} `);

/** A full name without the first name. */
function lastOf(full: string, first: string): string {
  if (first === "") return splitName(full).last;
  return beginsWith(full, first) ? full.slice(first.length).trim() : "";
}

export const CONTACT_COLUMNS: readonly Field[] = [
  { key: "id", kind: "id" },
  {
    key: "first_name",
    kind: "text",
    required: true,
    trimmed: true,
    names: FIRST_NAMES,
    shapes: [
      {
        first: true,
        from: [FIRST_NAMES, MIDDLE_NAMES],
        read: (first, middle) => (first && middle && !isInfix(middle) ? joined(first, middle) : ""),
      },
      { from: [VCARD_NAMES], read: (name) => vcardName(name).first },
      { from: [FULL_NAMES], read: (name) => splitName(name).first },
    ],
  },
  {
    key: "last_name",
    kind: "text",
    trimmed: true,
    names: LAST_NAMES,
    shapes: [
      { first: true, from: [INFIXES, LAST_NAMES], read: (infix, last) => (infix && last ? joined(infix, last) : "") },
      {
        first: true,
        from: [MIDDLE_NAMES, LAST_NAMES],
        read: (middle, last) => (isInfix(middle) ? withMiddle({ first: "", last }, middle).last : ""),
      },
      { from: [VCARD_NAMES], read: (name) => vcardName(name).last },
      { from: [FULL_NAMES, FIRST_NAMES], read: lastOf },
      // Next to a first name, a name is the last name.
      {
        ...{ from: [["name", "naam"], FIRST_NAMES], isGuess: true },
        read: (name, first) => (first === "" || beginsWith(name, first) ? "" : name),
      },
    ],
  },
  {
    key: "job_title",
    kind: "text",
    names: [
      ...["functie", "functietitel", "job title", "organization title", "organization 1 title", "position", "beroep"],
      ...["funktion", "berufsbezeichnung", "job position", "person - job title", "function"],
    ],
    // A job title in vCards; often a form of address in address books.
    shapes: [{ from: [["title", "titel"]], read: (title) => (isSalutation(title) ? "" : title) }],
  },
  {
    key: "email",
    kind: "email",
    names: EMAILS,
  },
  {
    key: "phone",
    kind: "phone",
    names: PHONES,
  },
  {
    key: "other_emails",
    kind: "list",
    names: ["andere e-mailadressen", "other email addresses", "weitere e-mail-adressen"],
    shapes: [allAddresses(["email", ...EMAILS])],
  },
  {
    key: "other_phones",
    kind: "list",
    names: ["andere telefoonnummers", "other phone numbers", "weitere telefonnummern"],
    shapes: [allNumbers(["phone", ...PHONES])],
  },
  {
    key: "birthday",
    kind: "date",
    names: ["geboortedatum", "verjaardag", "date of birth", "geburtstag", "geburtsdatum", "bday", "person - birthday"],
  },
  {
    key: "notes",
    kind: "text",
    names: [
      ...[
        "notities",
        "opmerkingen",
        "opmerking",
        "notitie",
        "memo",
        "bijzonderheden",
        "toelichting",
        "comments",
        "remarks",
        "note",
      ],
      ...["comment", "description", "notizen", "bemerkung", "bemerkungen", "anmerkungen"],
    ],
  },
  {
    key: "companies",
    kind: "list",
    names: [
      "klantnummers",
      "klantnummer",
      "client number",
      "customer number",
      "relatienummer",
      "debiteurnummer",
      "kundennummer",
      "bedrijven",
    ],
  },
  {
    key: "company_name",
    kind: "list",
    importOnly: true,
    names: [
      ...["bedrijfsnaam", "bedrijf", "company", "klant", "organisatie", "organization name", "organization 1 name"],
      ...["organisation name", "associated company", "account name", "werkgever", "firma", "unternehmen", "kunde"],
      ...[
        "related company",
        "gerelateerd bedrijf",
        "parent name",
        "parent_id",
        "person - organization",
        "person - organization - name",
      ],
    ],
    // The units of an organisation follow its name (RFC 6350 §6.6.4).
    shapes: [{ from: [["org"]], read: (organisation) => (organisation.split(";")[0] as string).trim() }],
  },
  {
    key: "contact_types",
    kind: "list",
    names: ["contact type", "contacttypes", "contacttype", "rol", "role", "kontaktart"],
    guesses: [{ names: ["type"] }],
  },
  { key: "primary", kind: "list", names: ["is primary", "primair", "hoofdcontact", "eerste contactpersoon", "hauptkontakt"] },
  // In a list of people and companies together, companies are not contacts.
  { key: "is_company", kind: "choice", importOnly: true, foreign: true, names: IS_COMPANY, choices: COMPANY_OR_PERSON },
];

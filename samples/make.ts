import { writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import excel from "exceljs";
import { HOURS_SAMPLES } from "./hours.ts";

/**
 * Makes the sample files: 300 rows each, as the tools that agencies come from export them, by the columns those document. All people and
 * companies are invented, and the same ones every time: `node samples/make.ts`.
 */
const ROWS = 300;

const TRADES = [
  "Bakkerij",
  "Slagerij",
  "Fietsenmaker",
  "Drukkerij",
  "Bloemisterij",
  "Loodgieter",
  "Tandarts",
  "Kwekerij",
  "Boekhandel",
];
const HOUSES = [
  ...["De Linde", "’t Anker", "Van Dam", "Zonzicht", "De Gouden Aar", "Noorderlicht", "Café & Zo", "De Brug", "Königsberg"],
  ...["De Molen", "Waterrijk", "De Eik", "Stroom", "Het Veer", "De Kroon", "Élan", "De Poort", "Landzicht"],
  ...["De Vaart", "Rivièra", "De Wilg", "Duinrand", "Het Kompas", "De Sluis", "Oostereind", "De Ster", "Vliet"],
  ...["Westkade", "De Haven", "Zuidas", "De Spil", "Heuvelrug", "Het Raam", "De Hoek", "Veldzicht", "De Kaap"],
];
const FIRST = [
  "Jan",
  "Eva",
  "Daan",
  "Noor",
  "Sem",
  "Fleur",
  "Zoë",
  "René",
  "Lotte",
  "Thijs",
  "İpek",
  "Bram",
  "Julia",
  "Ruben",
  "Anouk",
];
const LAST = [
  "Jansen",
  "Bakker",
  "Visser",
  "Smit",
  "Mulder",
  "Bos",
  "Vos",
  "Peters",
  "Hendriks",
  "Dekker",
  "Brouwer",
  "Kok",
  "Schouten",
];
const INFIXES = ["", "", "de", "van", "van der", ""];
const PLACES = [
  ["Utrecht", "3511 AA", "Nederland", "NL", "030"],
  ["Amsterdam", "1012 JS", "Nederland", "NL", "020"],
  ["’s-Hertogenbosch", "5211 AL", "Nederland", "NL", "073"],
  ["Gent", "9000", "België", "BE", ""],
  ["Groningen", "9711 LM", "Nederland", "NL", "050"],
  ["Köln", "50667", "Duitsland", "DE", ""],
] as const;
const STREETS = ["Dorpsstraat", "Kerkplein", "Oude Gracht", "Stationsweg", "Julianalaan"];
const JOBS = ["Inkoper", "Directeur", "Office manager", "Eigenaar", "Boekhouder"];

/** The place of a list that a number falls on. */
const of = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
const digits = (value: number, length: number): string => String(value).padStart(length, "0");

/** A company, with the person one speaks to there. */
function companyAt(index: number) {
  const name = `${of(TRADES, index)} ${of(HOUSES, Math.floor(index / TRADES.length))}`;
  const [city, postcode, country, code, area] = of(PLACES, index);
  const phones: Readonly<Record<string, string>> = {
    NL: `${area}-${digits(2_300_000 + index * 7, 7)}`,
    BE: `09 223 ${digits(10 + (index % 80), 2)} ${digits(10 + (index % 90), 2)}`,
    DE: `0221 ${digits(221_000 + index, 6)}`,
  };
  const phone = phones[code] as string;
  const host = `${name
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z]+/g, "-")}.example`;
  return {
    name,
    host,
    city,
    postcode,
    country,
    code,
    phone,
    number: 1001 + index,
    street: of(STREETS, index),
    house: 1 + ((index * 13) % 180),
    email: `facturen@${host}`,
    vat: code === "NL" ? `NL${digits(800_000_000 + index * 31, 9)}B01` : "",
    coc: code === "NL" ? digits(60_000_000 + index * 97, 8) : "",
    person: personAt(index),
  };
}

function personAt(index: number) {
  const [first, infix, last] = [of(FIRST, index), of(INFIXES, index), of(LAST, index * 5)];
  const mailbox = `${first}.${last}.${index}`
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, "");
  return {
    first,
    infix,
    last,
    full: [first, infix, last].filter(Boolean).join(" "),
    email: `${mailbox}@mail.example`,
    mobile: `06-${digits(12_340_000 + index * 11, 8)}`,
    work: `030-${digits(2_400_000 + index * 7, 7)}`,
    job: of(JOBS, index),
  };
}

type Rows = readonly (readonly (string | number)[])[];
const rowsOf = <T>(make: (index: number) => T): T[] => Array.from({ length: ROWS }, (_, index) => make(index));

/** Rows as CSV. @param isQuoted puts every cell in quotes, as some tools do */
function csv(rows: Rows, delimiter: string, isQuoted = false): string {
  const cell = (value: string | number) =>
    isQuoted || new RegExp(`["\r\n${delimiter}]`).test(String(value))
      ? `"${String(value).replaceAll('"', '""')}"`
      : String(value);
  return rows.map((row) => `${row.map(cell).join(delimiter)}\r\n`).join("");
}

/** Text in Windows-1252: Latin-1, and the signs it has in place of control characters. */
function windows1252(text: string): Buffer {
  const signs: Readonly<Record<string, number>> = { "€": 0x80, "’": 0x92, "‘": 0x91, "–": 0x96 };
  return Buffer.from([...text].map((sign) => signs[sign] ?? sign.charCodeAt(0)));
}

function hubspot(): string {
  const header = [
    ...["Record ID", "Company name", "Company owner", "Create Date", "Phone Number", "Last Activity Date", "City"],
    ...["Country/Region", "Industry", "Company Domain Name", "Street Address", "Postal Code", "Website URL", "Lifecycle Stage"],
    "Description",
  ];
  const stages = ["Customer", "Lead", "Opportunity", "Marketing Qualified Lead", "Evangelist", "Other"];
  const countries: Readonly<Record<string, string>> = { NL: "Netherlands", BE: "Belgium", DE: "Germany" };
  const rows = rowsOf((index) => {
    const { name, host, city, code, postcode, phone, street, house } = companyAt(index);
    return [
      ...[7_400_000_001 + index, index % 50 === 49 ? "" : name, "Sam Owner", "2023-05-01 09:30", phone, "", city],
      ...[countries[code] as string, "RETAIL", host, `${street} ${house}`, postcode, `https://www.${host}`, of(stages, index)],
      index % 4 === 0 ? `"Vaste klant", sinds jaren.\nBelt op maandag.` : "",
    ];
  });
  return csv([header, ...rows], ",", true);
}

function moneybird(): string {
  const header = [
    ...["Klantnummer", "Bedrijfsnaam", "Voornaam", "Achternaam", "Adresregel 1", "Adresregel 2", "Postcode", "Plaats", "Land"],
    ...["Telefoonnummer", "E-mailadres", "Facturen versturen naar", "KvK-nummer", "Btw-nummer", "IBAN", "Betalingstermijn"],
  ];
  const rows = rowsOf((index) => {
    const company = companyAt(index);
    const { person } = company;
    const isPrivate = index % 10 === 9;
    const last = [person.infix, person.last].filter(Boolean).join(" ");
    return [
      ...[company.number, isPrivate ? "" : company.name, index % 3 === 0 || isPrivate ? person.first : ""],
      ...[index % 3 === 0 || isPrivate ? last : "", `${company.street} ${company.house}`, index % 7 === 0 ? "2e etage" : ""],
      ...[company.postcode, company.city, company.code, company.phone, `info@${company.host}`, company.email],
      ...[company.coc, company.vat, "", 30],
    ];
  });
  return csv([header, ...rows], ",");
}

function exact(): Buffer {
  const header = [
    ...["Code", "Naam", "Zoekcode", "Status", "Adres", "Postcode", "Plaats", "Land", "Telefoon", "E-mail", "Website"],
    ...["BTW-nummer", "KvK-nummer", "Kredietlimiet", "Opmerkingen"],
  ];
  const states = ["Klant", "Prospect", "Suspect", "Geen"];
  const rows = rowsOf((index) => {
    const company = companyAt(index);
    const { name, number, street, house, postcode, city, country, phone, email, host, vat, coc } = company;
    return [
      ...[number, name, name.slice(0, 8).toUpperCase(), of(states, index), `${street} ${house}`, postcode, city, country, phone],
      ...[
        email,
        `www.${host}`,
        vat,
        coc,
        `€ ${1 + (index % 9)}.500,00`,
        index % 5 === 0 ? `Tarief € ${60 + (index % 40)} per uur` : "",
      ],
    ];
  });
  return windows1252(csv([header, ...rows], ";"));
}

function outlook(): Buffer {
  const header = [
    ...["First Name", "Middle Name", "Last Name", "Title", "Suffix", "Initials", "Web Page", "Gender", "Birthday", "Anniversary"],
    ...["Location", "Language", "Notes", "E-mail Address", "E-mail 2 Address", "E-mail 3 Address", "Primary Phone", "Home Phone"],
    ...["Mobile Phone", "Pager", "Home Street", "Home City", "Home Postal Code", "Home Country", "Company Main Phone"],
    ...["Business Phone", "Business Fax", "Company", "Job Title", "Department", "Business Street", "Business City"],
    ...["Business Postal Code", "Business Country", "Sensitivity", "Priority", "Private", "Categories"],
  ];
  const rows = rowsOf((index) => {
    const person = personAt(index);
    const company = companyAt(Math.floor(index / 3));
    return header.map((column): string => {
      const cells: Readonly<Record<string, string>> = {
        "First Name": person.first,
        // The infix of a surname has no column of its own, so it is typed here.
        "Middle Name": index % 2 === 0 ? person.infix : "",
        "Last Name": index % 2 === 0 ? person.last : [person.infix, person.last].filter(Boolean).join(" "),
        Title: index % 3 === 0 ? "Dhr." : "",
        Birthday: "0-0-00",
        Notes: index % 6 === 0 ? 'Zegt "bel na vijven"' : "",
        "E-mail Address": person.email,
        "Mobile Phone": index % 4 === 0 ? "" : person.mobile,
        "Business Phone": index % 4 === 0 ? person.work : "",
        Company: company.name,
        "Job Title": index % 3 === 0 ? "" : person.job,
        "Business City": company.city,
        "Business Country": company.country,
        Sensitivity: "Normal",
        Priority: "Normal",
        Private: "False",
        Categories: "Klanten;Nieuwsbrief",
      };
      return cells[column] ?? "";
    });
  });
  return windows1252(csv([header, ...rows], ",", true).replaceAll("İ", "I"));
}

function google(): string {
  const header = [
    ...["First Name", "Middle Name", "Last Name", "Phonetic First Name", "Phonetic Middle Name", "Phonetic Last Name"],
    ...["Name Prefix", "Name Suffix", "Nickname", "File As", "Organization Name", "Organization Title"],
    ...["Organization Department", "Birthday", "Notes", "Photo", "Labels", "E-mail 1 - Label", "E-mail 1 - Value"],
    ...["Phone 1 - Label", "Phone 1 - Value"],
  ];
  const rows = rowsOf((index) => {
    const person = personAt(index);
    const [first, last] = [person.first, [person.infix, person.last].filter(Boolean).join(" ")];
    const emails = index % 8 === 0 ? `${person.email} ::: prive.${person.email}` : person.email;
    const phones = index % 4 === 0 ? `${person.mobile} ::: ${person.work}` : person.mobile;
    return [
      ...[first, index % 9 === 0 ? "Maria" : "", last, "", "", "", "", "", "", ""],
      ...[index % 5 === 4 ? "" : companyAt(Math.floor(index / 2)).name, person.job, "", ""],
      ...[index % 10 === 0 ? "Ontmoet op de beurs" : "", "", "* myContacts ::: Klanten", "* Work", emails, "Mobile", phones],
    ];
  });
  return csv([header, ...rows], ",");
}

function vcards(): string {
  const header = [
    "FN",
    "N",
    "ORG",
    "TITLE",
    "TEL;TYPE=WORK",
    "TEL;TYPE=CELL",
    "EMAIL;TYPE=INTERNET",
    "ADR;TYPE=WORK",
    "NOTE",
    "REV",
  ];
  const rows = rowsOf((index) => {
    const person = personAt(index);
    const company = companyAt(Math.floor(index / 3));
    return [
      person.full,
      index % 5 === 0 ? "" : `${person.last};${person.first};${person.infix};;`,
      `${company.name};Verkoop`,
      person.job,
      index % 3 === 0 ? "" : person.work,
      person.mobile,
      person.email,
      `;;${company.street} ${company.house};${company.city};;${company.postcode};${company.country}`,
      "",
      "20240101T120000Z",
    ];
  });
  return csv([header, ...rows], ",");
}

/** The columns of a list somebody keeps in a spreadsheet. */
const LIST = [
  "Klantnr.",
  "Bedrijfsnaam",
  "Status",
  "Straat",
  "Huisnr.",
  "Toevoeging",
  "Postcode",
  "Plaats",
  "Land",
  "Telefoon",
  "E-mail",
];
const listed = (index: number): string[] => {
  const company = companyAt(index);
  const { name, street, house, postcode, city, code, phone, email, number } = company;
  const states = ["Actief", "Prospect", "Inactief", "actief"];
  const addition = index % 6 === 0 ? "a" : "";
  return [digits(number, 6), name, of(states, index), street, String(house), addition, postcode, city, code, phone, email];
};

const withSeparator = (): string => `sep=;\r\n${csv([LIST, ...rowsOf(listed)], ";")}`;
const unicode = (): Buffer => Buffer.from(`\ufeff${csv([LIST, ...rowsOf(listed)], "\t")}`, "utf16le");

async function workbook(): Promise<Buffer> {
  const book = new excel.Workbook();
  book.created = book.modified = new Date("2025-01-01T00:00:00Z");
  book
    .addWorksheet("Voorblad")
    .addRows([["Klantenbestand"], [], ["Bedrijf", "Bureau Voorbeeld"], ["Peildatum", "1 januari 2025"]]);
  const sheet = book.addWorksheet("Klanten");
  sheet.addRow(["Klantenlijst 2025"]);
  sheet.addRow([]);
  sheet.addRow(["Klant", "", "", "Adres", "", "", "", "", "", "Telefoon", "E-mail", "Klant sinds"]);
  sheet.addRow([...LIST.slice(0, 9)]);
  for (const range of ["A1:L1", "A3:C3", "D3:I3", "J3:J4", "K3:K4", "L3:L4"]) sheet.mergeCells(range);
  for (let index = 0; index < ROWS; index++) {
    const [, ...cells] = listed(index);
    const row = sheet.addRow([companyAt(index).number, ...cells, new Date(Date.UTC(2015, index % 12, 1 + (index % 28)))]);
    row.getCell(1).numFmt = "000000";
    row.getCell(5).value = companyAt(index).house;
    row.getCell(12).numFmt = "dd-mm-yyyy";
  }
  book.addWorksheet("Toelichting").addRows([["Vragen? Bel kantoor."]]);
  return Buffer.from((await book.xlsx.writeBuffer()) as ArrayBuffer);
}

/** The sample files by name; those of a workbook hold the same cells each time, but not the same bytes. */
export const SAMPLES: Readonly<Record<string, () => string | Buffer | Promise<Buffer>>> = {
  "hubspot-companies.csv": hubspot,
  "moneybird-contacten.csv": moneybird,
  "exact-relaties.csv": exact,
  "outlook-contacts.csv": outlook,
  "google-contacts.csv": google,
  "vcard-contacts.csv": vcards,
  "klanten-met-voorblad.xlsx": workbook,
  "klanten-sep.csv": withSeparator,
  "klanten-unicode.csv": unicode,
};

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  for (const [name, make] of Object.entries({ ...SAMPLES, ...HOURS_SAMPLES }))
    await writeFile(path.join(import.meta.dirname, name), await make());

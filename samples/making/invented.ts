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
export const of = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
export const digits = (value: number, length: number): string => String(value).padStart(length, "0");

/** A company, with the person one speaks to there. */
export function companyAt(index: number) {
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

/** A person, with a mailbox, two numbers and a job. */
export function personAt(index: number) {
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

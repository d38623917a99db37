import { shortened } from "../../values/stored-text.ts";
import { ImportRefused } from "../refused.ts";
import type { Cell } from "./cell.ts";
import { MOST_CHARACTERS } from "./cell.ts";
import { decode } from "./encoding.ts";
import { writeList } from "./lists.ts";
import { emptyFile, type FileLimits, type Sheet, SheetBuilder, tooLarge } from "./sheet.ts";

/** A line of a card: `item1.EMAIL;TYPE=home,pref:anna@example.org`. */
interface Property {
  /** The name in capitals. */
  name: string;
  group: string | null;
  /** Types in lower case, also those that vCard 2.1 names alone. */
  types: readonly string[];
  parameters: ReadonlyMap<string, string>;
  /** As it stands in the file, without the encoding of vCard 2.1. */
  value: string;
}

/** What programs need and people do not. */
const TECHNICAL = new Set([
  "BEGIN",
  "END",
  "VERSION",
  "PRODID",
  "UID",
  "REV",
  "KIND",
  "SOURCE",
  "X-ABLABEL",
  "X-ABUID",
  "CLIENTPIDMAP",
]);
const IS_CODED = /^(?:b|base64)$/i;
const IS_QUOTED = /^quoted-printable$/i;
const QUOTED_LINE = /;(?:encoding=)?quoted-printable[;:]/i;

/**
 * The lines of a file: continued ones joined (RFC 6350 §3.2), also those that quoted-printable continues by `=` (vCard 2.1).
 */
export function unfolded(text: string): string[] {
  const lines: string[] = [];
  let isQuoted = false;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const before = lines.at(-1);
    if (isQuoted && before?.endsWith("=")) lines[lines.length - 1] = before.slice(0, -1) + line;
    else if (before !== undefined && /^[ \t]/.test(line)) lines[lines.length - 1] = before + line.slice(1);
    else {
      lines.push(line);
      isQuoted = QUOTED_LINE.test(line);
    }
  }
  return lines.filter((line) => line.trim() !== "");
}

/** The position of the colon before the value: the first one outside quotes. */
function colonOf(line: string): number {
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted;
    else if (line[at] === ":" && !isQuoted) return at;
  }
  return -1;
}

/** A text without the encoding quoted-printable (RFC 2045 §6.7). Characters that a program did not encode stay as they are. */
function unquoted(text: string, charset: string | undefined): string {
  const decoder = new TextDecoder(/^(?:iso-8859-1|windows-1252)$/i.test(charset ?? "") ? "windows-1252" : "utf-8");
  return text.replace(/(?:=[0-9A-F]{2})+/gi, (codes) => decoder.decode(Buffer.from(codes.replaceAll("=", ""), "hex")));
}

function propertyOf(line: string): Property | null {
  const colon = colonOf(line);
  if (colon < 1) return null;
  const [head = "", ...rest] = line.slice(0, colon).match(/(?:"[^"]*"|[^;"])+/g) ?? [];
  const [group, name] = head.includes(".") ? [head.slice(0, head.indexOf(".")), head.slice(head.indexOf(".") + 1)] : [null, head];
  const parameters = new Map<string, string>();
  const types: string[] = [];
  for (const part of rest) {
    const [key = "", value] = part.includes("=")
      ? [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]
      : ["TYPE", part];
    const text = value.replaceAll('"', "");
    if (key.toUpperCase() === "TYPE") types.push(...text.toLowerCase().split(","));
    else parameters.set(key.toUpperCase(), text);
  }
  const isQuoted = types.some((type) => IS_QUOTED.test(type)) || IS_QUOTED.test(parameters.get("ENCODING") ?? "");
  const raw = line.slice(colon + 1);
  const value = isQuoted ? unquoted(raw, parameters.get("CHARSET")) : raw;
  return { name: name.toUpperCase(), group, types, parameters, value };
}

/** Whether the value is a picture or a sound, not a text. */
const isCoded = (property: Property | undefined): boolean =>
  property !== undefined &&
  (IS_CODED.test(property.parameters.get("ENCODING") ?? "") ||
    property.types.some((type) => IS_CODED.test(type)) ||
    /^data:/i.test(property.value));

const plain = (value: string): string =>
  value.replace(/\\([nN\\,;:])/g, (_, sign: string) => (/n/i.test(sign) ? "\n" : sign)).trim();
/** A value of several components, each plain; a semicolon inside one becomes a blank. */
const components = (value: string): string =>
  value
    .split(/(?<!\\);/)
    .map((part) => plain(part).replaceAll(";", " "))
    .join(";");
/** A telephone number or address without the scheme that vCard 4.0 writes. */
const withoutScheme = (value: string): string =>
  plain(value)
    .replace(/^(?:tel|mailto):/i, "")
    .replace(/;(?:ext|phone-context)=.*$/i, "");

/** Types that say where or how a person is reached. */
const IS_LABEL = /^(?:home|work|cell|fax|pager)$/;

/** The label of a value: the one that a person gave it in an address book, else its type. */
function labelOf({ group, types }: Property, card: readonly Property[]): string | null {
  const own = group === null ? undefined : card.find(({ name, group: of }) => name === "X-ABLABEL" && of === group)?.value;
  if (own)
    return plain(own)
      .replace(/^_\$!<(.*)>!\$_$/, "$1")
      .toLowerCase()
      .replaceAll(":", " ");
  const type = types.find((one) => IS_LABEL.test(one));
  return type === "cell" ? "mobile" : (type ?? null);
}

const isPreferred = ({ types, parameters }: Property): boolean => types.includes("pref") || parameters.get("PREF") === "1";

/** The preferred value, or the first one, and the others as a list with their labels. */
function firstAndOthers(card: readonly Property[], name: string): [first: string, others: string] {
  const all = card.filter((property) => property.name === name && property.value.trim() !== "");
  const first = all.find(isPreferred) ?? all[0];
  if (!first) return ["", ""];
  const others = all
    .filter((property) => property !== first)
    .map((property) => {
      const label = labelOf(property, card);
      return `${label === null ? "" : `${label}: `}${withoutScheme(property.value)}`;
    });
  return [withoutScheme(first.value), writeList(others)];
}

/** A birthday as a date; null for one without a year, which some address books write as 1604. */
function birthdayOf({ value, parameters }: Property): string | null {
  const [, year, month, day] = /^(\d{4})-?(\d{2})-?(\d{2})(?:$|T)/.exec(plain(value)) ?? [];
  const omitted = parameters.get("X-APPLE-OMIT-YEAR");
  return year === undefined || year === omitted ? null : `${year}-${month}-${day}`;
}

/** What a card says, by the column of a sheet of contacts that it fills. What no column is for has the name of its property. */
function columnsOf(card: readonly Property[]): Map<string, string> {
  const columns = new Map<string, string>();
  const put = (header: string, value: string) => {
    let [free, number] = [header, 2];
    while (columns.has(free)) free = `${header} (${number++})`;
    if (value !== "") columns.set(free, value);
  };
  const [email, emails] = firstAndOthers(card, "EMAIL");
  const [phone, phones] = firstAndOthers(card, "TEL");
  for (const [header, value] of Object.entries({ EMAIL: email, other_emails: emails, TEL: phone, other_phones: phones }))
    put(header, value);
  for (const property of card) {
    const { name, value } = property;
    // What the columns have no room for keeps a name of its own, so that the import says what it leaves out.
    if (name === "TEL") put("TEL extension", /;ext=(\w+)/i.exec(value)?.[1] ?? "");
    if (TECHNICAL.has(name) || name === "EMAIL" || name === "TEL") continue;
    if (name === "N") put(name, components(value).replace(/;+$/, ""));
    else if (name === "ORG") {
      const [organisation = "", ...units] = components(value).split(";").filter(Boolean);
      put(name, organisation);
      put("ORG unit", units.join("; "));
    } else if (name === "BDAY") {
      const birthday = birthdayOf(property);
      put(birthday === null ? "BDAY without a year" : "BDAY", birthday ?? plain(value));
    } else if (name === "X-ABSHOWAS") put("is_company", /^company$/i.test(value) ? "company" : "");
    else {
      put(name, isCoded(property) ? "(data)" : plain(value));
    }
  }
  return columns;
}

const cellOf = (text: string): Cell =>
  text.length > MOST_CHARACTERS ? { fault: `more than ${MOST_CHARACTERS} characters`, isTooLong: true } : text;

/**
 * Reads cards of people (.vcf, vCard 2.1 to 4.0) as a sheet with a row for each: its headers are the columns of contacts, and the names of
 * properties that those lack. The first card has row 2, as the first person of a spreadsheet.
 * @throws ImportRefused for a line without a colon, a card without an end, and exceeded limits
 */
export function readVcards(bytes: Uint8Array, limits: FileLimits): Sheet {
  if (bytes.length > limits.unpacked) throw tooLarge(limits);
  const cards: Map<string, string>[] = [];
  let card: Property[] | null = null;
  let depth = 0;
  for (const line of unfolded(decode(bytes).replace(/^\ufeff/, ""))) {
    const property = propertyOf(line);
    // Some programs do not indent the lines of a picture.
    if (!property && isCoded(card?.at(-1))) continue;
    if (!property) throw new ImportRefused(`The cards have a line without a colon: ${shortened(line, 40)}`, "invalid_file");
    const isOfCard = /^vcard$/i.test(property.value.trim());
    if (property.name === "BEGIN" && isOfCard && ++depth === 1) card = [];
    else if (property.name === "END" && isOfCard && --depth === 0 && card) {
      cards.push(columnsOf(card));
      card = null;
    } else if (depth === 1) card?.push(property);
  }
  if (depth !== 0) throw new ImportRefused("The last card has no end: was the file cut off?", "invalid_file");
  if (cards.length === 0) throw emptyFile();
  const headers = [...new Set(cards.flatMap((columns) => [...columns.keys()]))];
  const sheet = new SheetBuilder(limits, { row: 1, known: () => headers.length });
  sheet.add(1, headers);
  for (const [index, columns] of cards.entries())
    sheet.add(
      index + 2,
      headers.map((header) => cellOf(columns.get(header) ?? "")),
    );
  return sheet.finish();
}

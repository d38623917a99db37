import { escapedLine, foldedLine } from "../../../core/calendar/calendar-text.ts";
import type { OtherEmail, OtherPhone } from "../models.ts";

/** What a card says of a person. */
export interface CardFacts {
  id: string;
  first_name: string;
  last_name: string | null;
  job_title: string | null;
  email: string | null;
  phone: string | null;
  other_emails: readonly OtherEmail[];
  other_phones: readonly OtherPhone[];
  birthday: string | null;
  notes: string | null;
  companies: readonly { name: string }[];
  updated_at: string;
}

/** A property with its value, which is escaped; none for an empty value. */
const line = (property: string, value: string | null | undefined): string[] =>
  value ? [`${property}:${escapedLine(value)}`] : [];

/** The types of RFC 2426 by the labels that mean them. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ home: "HOME", thuis: "HOME", privé: "HOME", prive: "HOME", privat: "HOME" },
  ...{ work: "WORK", werk: "WORK", zakelijk: "WORK", arbeit: "WORK", geschäftlich: "WORK" },
  ...{ mobile: "CELL", mobiel: "CELL", mobil: "CELL", handy: "CELL", gsm: "CELL", fax: "FAX", pager: "PAGER" },
};

/** Further values of a property. A label without a type of its own stands in the line that address books read for it. */
const more = (property: string, kind: string, values: readonly (readonly [label: string | null, value: string])[]): string[] =>
  values.flatMap(([label, value], index) => {
    const type = label === null ? undefined : TYPES[label.toLowerCase()];
    if (label === null || type !== undefined) return line(`${property};TYPE=${[type, kind].filter(Boolean).join(",")}`, value);
    const group = `${property.toLowerCase()}${index + 1}`;
    return [...line(`${group}.${property};TYPE=${kind}`, value), ...line(`${group}.X-ABLabel`, label)];
  });

/**
 * A contact as a vCard 3.0 (RFC 2426), the version that Outlook, Google and Apple read alike. The organisation is the contact's first client:
 * one of which it is the primary contact, if there is one.
 */
export function vcardOf(contact: CardFacts): string {
  const { first_name: first, last_name: last } = contact;
  const lines = [
    "BEGIN:VCARD",
    "VERSION:3.0",
    "PRODID:-//Kantoor//Contacts//EN",
    `UID:urn:uuid:${contact.id}`,
    `REV:${new Date(contact.updated_at).toISOString()}`,
    ...line("FN", [first, last].filter(Boolean).join(" ")),
    `N:${escapedLine(last ?? "")};${escapedLine(first)};;;`,
    ...line("ORG", contact.companies[0]?.name),
    ...line("TITLE", contact.job_title),
    ...line("EMAIL;TYPE=INTERNET", contact.email),
    ...line("TEL;TYPE=WORK,VOICE", contact.phone),
    ...more(
      "EMAIL",
      "INTERNET",
      contact.other_emails.map(({ label, email }) => [label, email]),
    ),
    ...more(
      "TEL",
      "VOICE",
      contact.other_phones.map(({ label, phone }) => [label, phone]),
    ),
    ...line("BDAY", contact.birthday),
    ...line("NOTE", contact.notes),
    "END:VCARD",
  ];
  return lines.map((one) => `${foldedLine(one)}\r\n`).join("");
}

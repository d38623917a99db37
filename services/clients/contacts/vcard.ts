import { escapedLine, foldedLine } from "../../../core/calendar/calendar-text.ts";

/** What a card says of a person. */
export interface CardFacts {
  id: string;
  first_name: string;
  last_name: string | null;
  job_title: string | null;
  email: string | null;
  phone: string | null;
  notes: string | null;
  companies: readonly { name: string }[];
  updated_at: string;
}

/** A property with its value, which is escaped; none for an empty value. */
const line = (property: string, value: string | null | undefined): string[] =>
  value ? [`${property}:${escapedLine(value)}`] : [];

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
    ...line("NOTE", contact.notes),
    "END:VCARD",
  ];
  return lines.map((one) => `${foldedLine(one)}\r\n`).join("");
}

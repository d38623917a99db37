import type { Values } from "../../../core/database/write.ts";
import { addressesIn, numbersIn, writeList } from "../../../core/impex/files/lists.ts";
import { request } from "../../../core/request/context.ts";
import { isEmail } from "../../../core/schema/schema.ts";
import { readPhone } from "../../../core/values/text.ts";
import { MOST_OTHERS } from "../contacts/contact-schemas.ts";
import type { OtherEmail, OtherPhone } from "../models.ts";

/** The label that a header says, in Dutch, English and German. */
const LABELS: readonly (readonly [RegExp, string])[] = [
  [/mob|cell|gsm|handy/i, "mobile"],
  [/home|thuis|privat|privé/i, "home"],
  [/work|werk|zakelijk|business|geschäftlich/i, "work"],
];
const labelOf = (header: string): string | null => LABELS.find(([pattern]) => pattern.test(header))?.[1] ?? null;

/** A value with its label, as a cell has it: `home: anna@example.org`. */
const labelled = (label: string | null, value: string): string => (label === null ? value : `${label}: ${value}`);

/** The parts of a value with its label. */
function unlabelled(text: string): { label: string | null; value: string } {
  const [, label, value] = /^([^:]{1,50}): +(.+)$/s.exec(text) ?? [];
  return label === undefined ? { label: null, value: text.trim() } : { label: label.trim(), value: (value as string).trim() };
}

/** The cells of an export with further addresses and numbers. */
export const otherCells = ({
  other_emails: emails,
  other_phones: phones,
}: {
  other_emails: readonly OtherEmail[];
  other_phones: readonly OtherPhone[];
}) => ({
  other_emails: writeList(emails.map(({ label, email }) => labelled(label, email))),
  other_phones: writeList(phones.map(({ label, phone }) => labelled(label, phone))),
});

/** Reads all columns of a kind as one list, each value labelled by its header; `othersOfRow` takes out the first address or number. */
const allIn =
  (headers: readonly string[], split: (text: string) => readonly string[]) =>
  (...texts: string[]): string =>
    writeList([
      ...new Set(
        texts.flatMap((text, at) => (text === "" ? [] : split(text).map((one) => labelled(labelOf(headers[at] as string), one)))),
      ),
    ]);

const shape = (headers: readonly string[], split: (text: string) => readonly string[]) => ({
  from: headers.map((name) => [name]),
  read: allIn(headers, split),
});
export const allAddresses = (headers: readonly string[]) => shape(headers, addressesIn);
export const allNumbers = (headers: readonly string[]) => shape(headers, numbersIn);

/** The further addresses and numbers of a row, what of them is none or too many, and the values that have found their place. */
export interface OthersOfRow {
  values: { other_emails?: OtherEmail[]; other_phones?: OtherPhone[] };
  left: [field: string, value: string][];
  kept: Set<string>;
}

/** Sorts the lists of a row: without its first address and number, each value once. */
export function othersOfRow(row: Values, emails: unknown, phones: unknown): OthersOfRow {
  const found: OthersOfRow = { values: {}, left: [], kept: new Set() };
  const { country } = request().organisation;
  const take = <T>(
    field: string,
    list: unknown,
    first: unknown,
    keyOf: (value: string) => string | null | undefined,
    as: (label: string | null, value: string, key: string) => T,
  ): T[] => {
    const known = new Set(typeof first === "string" ? [keyOf(first) ?? first] : []);
    const taken = ((list ?? []) as string[]).flatMap((text) => {
      const { label, value } = unlabelled(text);
      if (value === "") return [];
      const key = keyOf(value);
      const isFull = known.size > MOST_OTHERS;
      if (key && !known.has(key) && !isFull) {
        known.add(key);
        found.kept.add(value);
        return [as(label, value, key)];
      }
      if (!key || !known.has(key)) found.left.push([field, text]);
      return [];
    });
    return taken;
  };
  const addresses = take(
    "other_emails",
    emails,
    row["email"],
    (value) => (isEmail(value) ? value.toLowerCase() : null),
    (label, email) => ({ label, email }),
  );
  const numbers = take(
    "other_phones",
    phones,
    row["phone"],
    (value) => readPhone(value, country),
    (label, _text, phone) => ({ label, phone }),
  );
  if (addresses.length > 0) found.values.other_emails = addresses;
  if (numbers.length > 0) found.values.other_phones = numbers;
  return found;
}

import type { RowOf, UpdateOf } from "../../../core/database/model.ts";
import { isEmail, type Static } from "../../../core/schema/schema.ts";
import { blankToNull, readPhone } from "../../../core/values/text.ts";
import type { Contact, OtherEmail, OtherPhone } from "../models.ts";
import type { ContactUpdate } from "./contact-schemas.ts";

type Sent = Pick<Static<typeof ContactUpdate>, "other_emails" | "other_phones">;

const key = (address: string): string => address.trim().toLowerCase();
const labelOf = (label: string | null | undefined): string | null => blankToNull(label?.trim()) ?? null;

/** The index of the first value that stands earlier in its list, or is the first address itself; -1 if there is none. */
const repeated = (keys: readonly string[], first: string | null | undefined): number =>
  keys.findIndex((one, index) => one === first || keys.indexOf(one) < index);

/** @returns the addresses as stored; adds an invalid address, and one that is twice there, to `refused` */
function emailsOf(
  sent: readonly { label?: string | null; email: string }[],
  first: string | null,
  refused: Record<string, string>,
) {
  const twice = repeated(
    sent.map(({ email }) => key(email)),
    first && key(first),
  );
  if (twice >= 0) refused["other_emails"] = "errors.duplicate";
  if (!sent.every((one) => isEmail(one.email.trim()))) refused["other_emails"] = "errors.invalid_email";
  return sent.map(({ label, email }): OtherEmail => ({ label: labelOf(label), email: email.trim() }));
}

/** @returns the numbers as stored; adds an invalid one, and one that is twice there, to `refused` */
function phonesOf(
  sent: readonly { label?: string | null; phone: string }[],
  stored: ReadonlySet<string>,
  country: string,
  refused: Record<string, string>,
) {
  const read = sent.map(({ label, phone }): OtherPhone => {
    // A number that is stored already is not read again.
    const number = stored.has(phone) ? phone : readPhone(phone, country);
    if (number === undefined || number === null) refused["other_phones"] = "errors.invalid_phone";
    return { label: labelOf(label), phone: number ?? "" };
  });
  const twice = repeated(
    read.map(({ phone }) => phone),
    null,
  );
  if (twice >= 0) refused["other_phones"] ??= "errors.duplicate";
  return read;
}

/**
 * The further addresses and numbers that a create or update of a contact stores (clients chapter §4.1): trimmed, numbers in E.164, none
 * twice. An address that becomes the first one leaves the others, unless the body has it in both.
 * @param email the first address that is stored: undefined if it stays
 * @param refused gets the key of a list that breaks a rule
 */
export function othersOf(
  { other_emails, other_phones }: Sent,
  email: string | null | undefined,
  before: Partial<RowOf<typeof Contact>> | null,
  country: string,
  refused: Record<string, string>,
): Pick<UpdateOf<typeof Contact>, "other_emails" | "other_phones"> {
  const stored = before?.other_emails ?? [];
  const first = email === undefined ? (before?.email ?? null) : email;
  const left = email ? stored.filter((one) => key(one.email) !== key(email)) : stored;
  const numbers = new Set((before?.other_phones ?? []).map(({ phone }) => phone));
  return {
    ...(other_emails !== undefined
      ? { other_emails: emailsOf(other_emails, first, refused) }
      : left.length < stored.length && { other_emails: left }),
    ...(other_phones !== undefined && { other_phones: phonesOf(other_phones, numbers, country, refused) }),
  };
}

/** The others of a contact with those of another one or of a file, which come last; what the contact has already is not added. */
export function withOthers(
  kept: { email: string | null; phone: string | null; other_emails: readonly OtherEmail[]; other_phones: readonly OtherPhone[] },
  added: { other_emails?: readonly OtherEmail[]; other_phones?: readonly OtherPhone[] },
): { other_emails: OtherEmail[]; other_phones: OtherPhone[] } {
  const join = <T>(first: string | null, mine: readonly T[], theirs: readonly T[], keyOf: (one: T) => string): T[] => {
    const known = new Set([...(first === null ? [] : [key(first)]), ...mine.map(keyOf)]);
    const news = theirs.filter((one) => !known.has(keyOf(one)) && known.add(keyOf(one)));
    return [...mine, ...news];
  };
  return {
    other_emails: join(kept.email, kept.other_emails, added.other_emails ?? [], ({ email }) => key(email)),
    other_phones: join(kept.phone, kept.other_phones, added.other_phones ?? [], ({ phone }) => phone),
  };
}

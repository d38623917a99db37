import type { Locale } from "../config/defaults.ts";

/**
 * A built-in text of a mail: Liquid, one entry per paragraph. A button is replaced by the mail's link, and `each` by the texts of the
 * variable it names: one line of plain text and one item of a list in HTML for each.
 */
export interface MailText {
  subject: string;
  body: readonly (string | { readonly button: string } | { readonly each: string })[];
}

/** The first paragraph of a mail. */
export const GREETING: Readonly<Record<Locale, string>> = {
  nl: "Hallo{% if name %} {{ name }}{% endif %},",
  en: "Hello{% if name %} {{ name }}{% endif %},",
};

/** One kind of mail, as a manifest lists it. */
export interface MailKind {
  /** What its texts may use beside `brand`, `name` and `link`. */
  variables: readonly string[];
  /** Whether organisations may reword it, those that have its module enabled. */
  overridable: boolean;
  /** It never has a link, so none is offered to its texts. */
  hasNoLink?: true;
  /** It opens an account or tells that one has changed: an account belongs to no organisation. */
  opensAccount?: true;
  texts: Readonly<Record<Locale, MailText>>;
}

/** Names of mail kinds. A module adds its own: `interface MailKinds extends Record<keyof typeof mails, true> {}`. */
export interface MailKinds {}
export type MailKindName = keyof MailKinds & string;

/** What a text message may say. */
export interface SmsValues {
  brand: string;
  code: string;
}

/** One kind of text message, as a manifest lists it. */
export interface SmsKind {
  /** How long a message is worth sending, in milliseconds. */
  worthSending: number;
  /** The code comes last, where phones look for it. */
  texts: Readonly<Record<Locale, (values: SmsValues) => string>>;
}

/** Names of kinds of text messages, added by modules like those of mails. */
export interface SmsKinds {}
export type SmsKindName = keyof SmsKinds & string;

import type { Locale } from "../config/defaults.ts";

/**
 * A built-in mail text: Liquid, one entry per paragraph. `button` becomes the mail's link. `each` becomes a list of the texts in its
 * variable: one line of plain text, or one HTML list item, for each.
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

/** One type of mail, as listed in a manifest. */
export interface MailKind {
  /** The variables of its texts in addition to `brand`, `name` and `link`. */
  variables: readonly string[];
  /** Whether organisations with its module enabled may reword it. */
  overridable: boolean;
  /** Never has a link, so its texts have no `link` variable. */
  hasNoLink?: true;
  /** Opens an account or reports a change of one; accounts belong to no organisation. */
  opensAccount?: true;
  texts: Readonly<Record<Locale, MailText>>;
}

/** Names of mail types. A module adds its own: `interface MailKinds extends Record<keyof typeof mails, true> {}`. */
export interface MailKinds {}
export type MailKindName = keyof MailKinds & string;

/** The values in a text message. */
export interface SmsValues {
  brand: string;
  code: string;
}

/** One type of text message, as listed in a manifest. */
export interface SmsKind {
  /** How long a message stays worth sending, in milliseconds. */
  worthSending: number;
  /** The code comes last, because phones look for it there. */
  texts: Readonly<Record<Locale, (values: SmsValues) => string>>;
}

/** Names of text message types; modules add them as for mails. */
export interface SmsKinds {}
export type SmsKindName = keyof SmsKinds & string;

import type { MailFailureKind, MailFile } from "../../../core/mail/mail-now.ts";
import type { MailTransport } from "../../../core/mail/mail-transport.ts";

export interface Mailbox {
  address: string;
  name: string | null;
}

/** A finished mail, the same in every attempt. */
export interface OutgoingMail {
  /** The mail's id: what a service that takes an idempotency key gets. */
  id: string;
  /** Whose account at the service it goes through: an organisation's id, or `instance`. */
  account: string;
  /** `Message-ID` without angle brackets (RFC 5322 §3.6.4). */
  messageId: string;
  from: Mailbox;
  /** One message for all of them; never empty. */
  to: readonly Mailbox[];
  replyTo: string | null;
  /** An absolute address that ends such mail with one POST (RFC 8058), null for none. */
  unsubscribe: string | null;
  subject: string;
  text: string;
  html: string;
  files: readonly MailFile[];
  /** What the HTML shows by `cid:<name>`. */
  pictures: readonly MailFile[];
}

/** A mail that was not taken. The message is one line that may be shown and stored: at most 500 characters, without secrets. */
export class MailFailure extends Error {
  override name = "MailFailure";
  /** True when the same mail would be refused again. */
  readonly permanent: boolean;
  /** Milliseconds the other side asked us to wait. */
  readonly retryAfter: number | null;
  readonly kind: MailFailureKind;
  constructor(message: string, permanent: boolean, retryAfter: number | null = null, kind: MailFailureKind = "mail") {
    super(message);
    this.kind = kind;
    this.permanent = permanent;
    this.retryAfter = retryAfter;
  }
}

/**
 * One way to hand mail over; ends well once the other side has taken it for one recipient or more, and returns the addresses it refused.
 * Throws MailFailure.
 * @param secrets further values that must not stand in an error
 */
export type Deliver = (
  transport: MailTransport,
  mail: OutgoingMail,
  secrets: readonly string[],
  signal?: AbortSignal,
) => Promise<readonly string[]>;

/** A mailbox as services take it: the name is left out where there is none. */
export const named = ({ address, name }: Mailbox): { email: string; name?: string } =>
  name ? { email: address, name } : { email: address };

/** The headers every mail has: made by a program (RFC 3834), and the way to end it where there is one (RFC 2369, RFC 8058). */
export const generalHeaders = ({ unsubscribe }: Pick<OutgoingMail, "unsubscribe">): Record<string, string> => ({
  "Auto-Submitted": "auto-generated",
  ...(unsubscribe !== null && { "List-Unsubscribe": `<${unsubscribe}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
});

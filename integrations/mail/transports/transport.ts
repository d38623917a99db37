import type { MailFailureKind, MailFile } from "../../../core/mail/mail-now.ts";
import type { MailTransport } from "../../../core/mail/mail-transport.ts";

export interface Mailbox {
  address: string;
  name: string | null;
}

/** A finished mail, the same in every attempt. */
export interface OutgoingMail {
  /** The mail's id, used as the idempotency key where a service supports one. */
  id: string;
  /** The owner of the service account: an organisation's id, or `instance`. */
  account: string;
  /** `Message-ID` without angle brackets (RFC 5322 §3.6.4). */
  messageId: string;
  from: Mailbox;
  /** Recipients of one message; never empty. */
  to: readonly Mailbox[];
  replyTo: string | null;
  /** An absolute unsubscribe address for one POST (RFC 8058), null for none. */
  unsubscribe: string | null;
  subject: string;
  text: string;
  html: string;
  files: readonly MailFile[];
  /** Pictures that the HTML shows as `cid:<name>`. */
  pictures: readonly MailFile[];
}

/** A mail was not accepted. The message is one line that may be shown and stored: at most 500 characters, without secrets. */
export class MailFailure extends Error {
  override name = "MailFailure";
  /** Whether the same mail would be refused again. */
  readonly permanent: boolean;
  /** Milliseconds the other side asked to wait. */
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
 * Sends a mail by one transport. It succeeds once the other side accepts it for at least one recipient, and returns the refused addresses.
 * Throws MailFailure.
 * @param secrets further values that must not appear in an error
 */
export type Deliver = (
  transport: MailTransport,
  mail: OutgoingMail,
  secrets: readonly string[],
  signal?: AbortSignal,
) => Promise<readonly string[]>;

/** A mailbox in the services' format, without a missing name. */
export const named = ({ address, name }: Mailbox): { email: string; name?: string } =>
  name ? { email: address, name } : { email: address };

/** The headers of every mail: sent automatically (RFC 3834), and the unsubscribe address if any (RFC 2369, RFC 8058). */
export const generalHeaders = ({ unsubscribe }: Pick<OutgoingMail, "unsubscribe">): Record<string, string> => ({
  "Auto-Submitted": "auto-generated",
  ...(unsubscribe !== null && { "List-Unsubscribe": `<${unsubscribe}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
});

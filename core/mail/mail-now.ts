import type { MailKindName } from "../declare/messages.ts";
import { currentRequest } from "../request/context.ts";
import type { MailValue } from "./mail.ts";

/** An attachment of a mail. */
export interface MailFile {
  name: string;
  /** Media type, such as `application/pdf`. */
  type: string;
  base64: string;
}

/** A picture inside a mail's text. It is omitted if the transport does not support inline pictures. */
export interface MailPicture extends MailFile {
  /** The alternative text, shown without the picture. */
  alt: string;
}

/** A mail to send while the caller waits; it is not stored. */
export interface MailNow {
  /** A UUID, the same in every attempt to send the mail. It becomes the Message-ID, and services detect a repetition by it. */
  id: string;
  kind: MailKindName;
  /**
   * `locale` null: the organisation's. `also`: further addresses of the same recipient. All of them get a single message that names them
   * all, so that a repeated attempt is the same mail for each of them. `greeting`: the name in the text; absent: `name`, null: none.
   */
  to: { address: string; also?: readonly string[]; name: string | null; greeting?: string | null; locale: string | null };
  /** The sender's name, with the transport's address; null or absent: the transport's name, otherwise the brand. */
  fromName?: string | null;
  /** Variables in addition to `brand`, `name` and `link`. */
  variables: Readonly<Record<string, MailValue>>;
  /** A path on the organisation's own address; null for a mail without a link. */
  link: string | null;
  /**
   * A path on the organisation's own address that unsubscribes with one POST and asks for confirmation on GET (RFC 8058); null or
   * absent for a mail that its reader requested.
   */
  unsubscribe?: string | null;
  /** The sender's own plain text, at the top of both parts; null for none. */
  lead?: string | null;
  files?: readonly MailFile[];
  /** Shown below the text. */
  picture?: MailPicture | null;
}

/**
 * The kind of a mail failure. `recipient`: the server permanently rejected the mail's only address. `mail`: the mail was rejected for
 * another reason. `unanswered`: the server may have accepted it without confirming.
 */
export type MailFailureKind = "recipient" | "mail" | "unanswered";

/**
 * Whether the server accepted a mail; the error is a translation key or the provider's text, one line without secrets. `refused`: rejected
 * addresses of an accepted mail; absent for none.
 */
export type HandedOver =
  | { accepted: true; refused?: readonly string[] }
  | { accepted: false; error: string; failure: MailFailureKind };

/** Calls actors: `ctx.call` of an action, `call` of a job's run. */
export type CallActor = (action: string, parameters: Record<string, unknown>) => Promise<unknown>;

/**
 * Sends a mail now and returns the outcome. Call it outside transactions, because the server may be slow.
 * @throws Error inside a transaction
 */
export async function handOver(call: CallActor, mail: MailNow): Promise<HandedOver> {
  if (currentRequest()?.transaction) throw new Error("a mail must not be handed over inside a transaction");
  return (await call("mail.handOver", { ...mail })) as HandedOver;
}

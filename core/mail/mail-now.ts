import type { MailKindName } from "../declare/messages.ts";
import { currentRequest } from "../request/context.ts";
import type { MailValue } from "./mail.ts";

/** A file that goes with a mail. */
export interface MailFile {
  name: string;
  /** Media type, for instance `application/pdf`. */
  type: string;
  base64: string;
}

/** A picture inside a mail's text. It is left out where the transport has no way to show one. */
export interface MailPicture extends MailFile {
  /** What stands in its place where pictures are not shown. */
  alt: string;
}

/** A mail that is handed over while the caller waits, and kept nowhere. */
export interface MailNow {
  /** A UUID, the same in every attempt at the same mail: its Message-ID, and the key by which a service knows a repetition. */
  id: string;
  kind: MailKindName;
  /**
   * `locale` null: the organisation's. `also`: further addresses of the same recipient. All of them get one message that names them all, so that
   * a repeated attempt is the same mail for every one of them.
   */
  to: { address: string; also?: readonly string[]; name: string | null; locale: string | null };
  /** The sender's name, on the address that the transport sends from; null or absent: the transport's name, else the brand. */
  fromName?: string | null;
  /** What its texts use beside `brand`, `name` and `link`. */
  variables: Readonly<Record<string, MailValue>>;
  /** A path on the organisation's own address; null for a mail without a link. */
  link: string | null;
  /**
   * A path on the organisation's own address that ends such mail with one POST and tells so by a GET (RFC 8058); null or absent for a mail
   * that its reader asked for.
   */
  unsubscribe?: string | null;
  /** What its sender wrote: plain text before everything else, in both parts; null for nothing. */
  lead?: string | null;
  files?: readonly MailFile[];
  /** Shown below the text. */
  picture?: MailPicture | null;
}

/**
 * How a mail failed: `recipient`, the other side refused its only address for good; `mail`, it was not taken for another reason; `unanswered`,
 * the other side may have taken it and did not say so.
 */
export type MailFailureKind = "recipient" | "mail" | "unanswered";

/**
 * Whether the other side took a mail; the error is a translation key or the provider's text, one line without secrets. `refused`: addresses of
 * an accepted mail that the other side would not take; absent for none.
 */
export type HandedOver =
  | { accepted: true; refused?: readonly string[] }
  | { accepted: false; error: string; failure: MailFailureKind };

/** How actors are called: `ctx.call` of an action, `call` of a job's run. */
export type CallActor = (action: string, parameters: Record<string, unknown>) => Promise<unknown>;

/**
 * Hands a mail over now and tells what became of it. Not within a transaction: the other side takes its time.
 * @throws Error inside a transaction
 */
export async function handOver(call: CallActor, mail: MailNow): Promise<HandedOver> {
  if (currentRequest()?.transaction) throw new Error("a mail was to be handed over inside a transaction");
  return (await call("mail.handOver", { ...mail })) as HandedOver;
}

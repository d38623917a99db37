import type { Address, Email } from "postal-mime";
import { htmlToMarkdown } from "../../../../core/mail/html-markdown.ts";
import { shortened } from "../../../../core/values/stored-text.ts";
import type { Participant } from "../models.ts";

/** A file attached to a message. */
export interface Attached {
  name: string;
  type: string;
  bytes: Uint8Array;
}

/** The content of a saved message. */
export interface Message {
  subject: string | null;
  /** Null if the message has no valid date. */
  sent_at: string | null;
  /** Plain text of the body. */
  text: string;
  /** The body of an HTML-only message, with its links and structure; null if the message also has plain text. */
  markdown: string | null;
  message_id: string | null;
  /** The first message of the thread, according to the headers. */
  thread_id: string | null;
  participants: Omit<Participant, "contact_id" | "user_id">[];
  attachments: Attached[];
}

/** Maximum length of a stored body. */
const LONGEST_BODY = 500_000;
/** Maximum length of HTML that is read, and maximum nesting of its elements. */
const MOST_HTML = 4_000_000;
const MOST_NESTED = 200;
const ROLES = ["from", "to", "cc"] as const;

const oneLine = (text: string | undefined): string | null => text?.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim() || null;

/** The mailboxes of a header, with groups expanded to their members. */
function mailboxes(given: Address | Address[] | undefined): { address?: string | undefined; name: string }[] {
  return [given ?? []].flat().flatMap((one) => one.group ?? [one]);
}

function participantsOf(email: Email): Message["participants"] {
  const seen = new Set<string>();
  return ROLES.flatMap((role) =>
    mailboxes(email[role]).flatMap(({ address, name }) => {
      const mail = oneLine(address)?.toLowerCase() ?? null;
      const person = oneLine(name);
      const key = `${role} ${mail ?? person}`;
      if ((mail === null && person === null) || seen.has(key)) return [];
      seen.add(key);
      return [{ email: mail, name: person, role }];
    }),
  );
}

/** A body without control characters, truncated to the stored length. */
const kept = (text: string): string => shortened(text.replace(/[^\P{Cc}\n\t]/gu, "").trim(), LONGEST_BODY);

/** Converts HTML to the text a reader sees, without scripts and styles. */
async function wordsOf(html: string): Promise<string> {
  const { default: sanitize } = await import("sanitize-html");
  const broken = shortened(html, MOST_HTML).replace(/<(?:br|\/(?:p|div|tr|li|h[1-6]))\b[^<>]*>/gi, "\n");
  const bare = sanitize(broken, { allowedTags: [], allowedAttributes: {}, nestingLimit: MOST_NESTED });
  const entities: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&nbsp;": " " };
  return bare.replace(/&(?:lt|gt|amp|quot|nbsp);/g, (entity) => entities[entity] as string);
}

/**
 * Reads a message as saved by a mail program (RFC 5322, MIME).
 * @returns null if the bytes are not a message
 */
export async function readMessage(bytes: Uint8Array): Promise<Message | null> {
  const { default: PostalMime } = await import("postal-mime");
  const email = await PostalMime.parse(bytes, { attachmentEncoding: "arraybuffer" }).catch(() => null);
  if (email === null) return null;
  const participants = participantsOf(email);
  if (participants.length === 0 && !email.subject && !email.messageId) return null;
  const sent = email.date === undefined ? Number.NaN : Date.parse(email.date);
  const text = (email.text?.trim() || (await wordsOf(email.html ?? ""))).replace(/\r\n?/g, "\n").replace(/\n{3,}/g, "\n\n");
  return {
    subject: shortened(oneLine(email.subject) ?? "", 500) || null,
    sent_at: Number.isNaN(sent) ? null : new Date(sent).toISOString(),
    text: kept(text),
    markdown: email.text?.trim() || !email.html ? null : kept(htmlToMarkdown(email.html)) || null,
    message_id: oneLine(email.messageId),
    thread_id: /<[^<>\s]+>/.exec(email.references ?? email.inReplyTo ?? "")?.[0] ?? oneLine(email.messageId),
    participants,
    attachments: email.attachments.map(({ filename, mimeType, content }) => ({
      name: oneLine(filename ?? undefined) ?? "attachment",
      type: mimeType,
      bytes: new Uint8Array(content as ArrayBuffer),
    })),
  };
}

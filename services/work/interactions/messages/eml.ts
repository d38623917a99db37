import type { Address, Email } from "postal-mime";
import { htmlToMarkdown } from "../../../../core/mail/html-markdown.ts";
import type { Participant } from "../models.ts";

/** A file that travelled with a message. */
export interface Attached {
  name: string;
  type: string;
  bytes: Uint8Array;
}

/** What a saved message says. */
export interface Message {
  subject: string | null;
  /** Null where the message names no day that there is. */
  sent_at: string | null;
  /** Plain words of the body. */
  text: string;
  /** The body of a message that has HTML alone, with its links and structure; null for one that has a plain text too. */
  markdown: string | null;
  message_id: string | null;
  /** The first message of the thread, as its headers say. */
  thread_id: string | null;
  participants: Omit<Participant, "contact_id" | "user_id">[];
  attachments: Attached[];
}

/** Characters of a body that are kept. */
const LONGEST_BODY = 500_000;
/** Characters of HTML that are read for them, and how deep its elements may be in each other. */
const MOST_HTML = 4_000_000;
const MOST_NESTED = 200;
const ROLES = ["from", "to", "cc"] as const;

const oneLine = (text: string | undefined): string | null => text?.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim() || null;

/** The mailboxes of a header; the members of a group each by themselves. */
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

/** A body without control characters, as far as it is kept. */
const kept = (text: string): string =>
  text
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .trim()
    .slice(0, LONGEST_BODY);

/** HTML as words: what a reader sees, without scripts and styles. */
async function wordsOf(html: string): Promise<string> {
  const { default: sanitize } = await import("sanitize-html");
  const broken = html.slice(0, MOST_HTML).replace(/<(?:br|\/(?:p|div|tr|li|h[1-6]))\b[^<>]*>/gi, "\n");
  const bare = sanitize(broken, { allowedTags: [], allowedAttributes: {}, nestingLimit: MOST_NESTED });
  const entities: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&nbsp;": " " };
  return bare.replace(/&(?:lt|gt|amp|quot|nbsp);/g, (entity) => entities[entity] as string);
}

/**
 * Reads a message as a mail program saves it (RFC 5322, MIME).
 * @returns null for bytes that are no message
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
    subject: oneLine(email.subject)?.slice(0, 500) ?? null,
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

import type { Address, Email } from "postal-mime";
import { typeByName } from "../../../../core/files/file-types.ts";
import { joinedWords } from "../../../../core/mail/encoded-words.ts";
import { shortened } from "../../../../core/values/stored-text.ts";
import type { Participant } from "../models.ts";
import { htmlToMarkdown } from "./html-markdown.ts";
import { invitationText } from "./invitation.ts";
import { sentAt } from "./message-date.ts";
import { isCompoundFile } from "./outlook/compound-file.ts";
import { readOutlookMessage } from "./outlook/outlook-message.ts";
import { isTnef, readTnef } from "./outlook/tnef.ts";

/** A file attached to a message. */
export interface Attached {
  name: string;
  type: string;
  bytes: Uint8Array;
}

/** The content of a saved message. */
export interface Message {
  subject: string | null;
  /** Null if no header of the message has a possible date. */
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
const MARK = [0xef, 0xbb, 0xbf];
const CALENDAR = "text/calendar";
/** Most files that a `winmail.dat` counts as; one with more stays as it is, so that none of them is lost. */
const MOST_PACKED = 100;

const oneLine = (text: string | undefined): string | null => text?.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim() || null;

/** The mailboxes of a header, with groups expanded to their members. */
const mailboxes = (given: readonly Address[]): { address?: string | undefined; name: string }[] =>
  given.flatMap((one) => one.group ?? [one]);

/** @param addressesOf all addresses of the headers of a name: the library reads only the first From */
function participantsOf(addressesOf: (name: string) => Address[]): Message["participants"] {
  const seen = new Set<string>();
  return ROLES.flatMap((role) =>
    mailboxes(addressesOf(role)).flatMap(({ address, name }) => {
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
async function textOfHtml(html: string): Promise<string> {
  const { default: sanitize } = await import("sanitize-html");
  const broken = shortened(html, MOST_HTML)
    .replace(/<(?:br|\/(?:p|div|tr|li|h[1-6]))\b[^<>]*>/gi, "\n")
    .replace(/<li\b[^<>]*>/gi, "- ")
    .replace(/<\/t[dh]\b[^<>]*>/gi, "\t");
  const bare = sanitize(broken, { allowedTags: [], allowedAttributes: {}, nestingLimit: MOST_NESTED });
  const entities: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&nbsp;": " " };
  const lines = bare.split("\n").map((line) => line.trimEnd());
  return lines.join("\n").replace(/&(?:lt|gt|amp|quot|nbsp);/g, (entity) => entities[entity] as string);
}

/** The values of a header, in the order of the message. */
const valuesOf = ({ headers }: Email, name: string): string[] =>
  headers.flatMap(({ key, value }) => (key === name && value !== "" ? [value] : []));

/** The plain text of a message: its own, else that of its HTML, else that of an invitation. */
async function textOf({ text, html, attachments }: Email): Promise<string> {
  const own = text?.trim() || (await textOfHtml(html ?? "")).trim();
  if (own !== "") return own;
  const invitation = attachments.find(({ mimeType }) => mimeType === CALENDAR);
  return invitation ? invitationText(new TextDecoder().decode(invitation.content as ArrayBuffer)) : "";
}

/** The files of a message; a `winmail.dat` counts as the files in it. */
const filesOf = ({ attachments }: Email): Attached[] =>
  attachments.flatMap(({ filename, mimeType, content }) => {
    const file = {
      name: oneLine(filename ?? undefined) ?? "attachment",
      type: mimeType,
      bytes: new Uint8Array(content as ArrayBuffer),
    };
    const packed = isTnef(file) ? (readTnef(file.bytes, MOST_PACKED + 1) ?? []) : [];
    if (packed.length === 0 || packed.length > MOST_PACKED) return [file];
    return packed.map(({ name, bytes }) => ({ name: oneLine(name) ?? "attachment", type: typeByName(name), bytes }));
  });

/** A message as Outlook saves it, with its headers read as those of any other; null if it is damaged. */
async function outlookEmail(bytes: Uint8Array, parse: (headers: string) => Promise<Email>): Promise<Email | null> {
  try {
    const { headers, text, html, attachments } = readOutlookMessage(bytes);
    const files = attachments.map((one) => ({ ...one, disposition: null }));
    return { ...(await parse(`${headers}\r\n\r\n`)), text, html, attachments: files };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * Reads a message as saved by a mail program (RFC 5322, MIME), or by Outlook under the name `.msg`. Skips a byte order mark in front of it.
 * @param now milliseconds since 1970
 * @returns null if the bytes are not a message
 */
export async function readMessage(saved: Uint8Array, now: number): Promise<Message | null> {
  const { default: PostalMime, addressParser, decodeWords } = await import("postal-mime");
  const bytes = MARK.every((byte, at) => saved[at] === byte) ? saved.subarray(MARK.length) : saved;
  const email = isCompoundFile(bytes)
    ? await outlookEmail(bytes, (headers) => PostalMime.parse(headers))
    : await PostalMime.parse(bytes, { attachmentEncoding: "arraybuffer" }).catch(() => null);
  if (email === null) return null;
  const participants = participantsOf((name) => valuesOf(email, name).flatMap((value) => addressParser(joinedWords(value))));
  const subject = oneLine(decodeWords(joinedWords(valuesOf(email, "subject")[0] ?? "")));
  if (participants.length === 0 && subject === null && !email.messageId) return null;
  const text = (await textOf(email)).replace(/\r\n?/g, "\n").replace(/\n{3,}/g, "\n\n");
  return {
    subject: shortened(subject ?? "", 500) || null,
    sent_at: sentAt(valuesOf(email, "date")[0], valuesOf(email, "received"), now),
    text: kept(text),
    markdown: email.text?.trim() || !email.html ? null : kept(htmlToMarkdown(email.html)) || null,
    message_id: oneLine(email.messageId),
    thread_id: /<[^<>\s]+>/.exec(email.references ?? email.inReplyTo ?? "")?.[0] ?? oneLine(email.messageId),
    participants,
    attachments: filesOf(email),
  };
}

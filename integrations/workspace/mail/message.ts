import { type Address, addressParser, decodeWords } from "postal-mime";
import { joinedWords } from "../../../core/mail/encoded-words.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import type { gmail_v1 } from "../../../mixins/google/apis.ts";

type Raw = gmail_v1.Schema$Message;

/** The headers read from a message before its owner approves it (workspace §2.5). */
export const READ_HEADERS = ["From", "To", "Cc", "Subject", "Message-ID"];

/** A sender or recipient of a message. Addresses are in lower case. */
export interface Correspondent {
  email: string | null;
  name: string | null;
  role: "from" | "to" | "cc";
}

/** A message with its headers, labels and snippet: all that is read before approval. */
export interface MailMessage {
  id: string;
  thread_id: string;
  message_id: string | null;
  labels: string[];
  subject: string | null;
  snippet: string | null;
  /** When the provider received it, ISO 8601, UTC. */
  occurred_at: string;
  /** Its address in the provider's web mail. */
  deep_link: string;
  participants: Correspondent[];
}

const oneLine = (text: string | undefined): string | null =>
  text
    ?.toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim() || null;

/** The values of a header; the name ignores case. */
const headersOf = ({ payload }: Raw, name: string): string[] =>
  (payload?.headers ?? []).flatMap((header) => (header.name?.toLowerCase() === name ? [header.value ?? ""] : []));

/** The mailboxes in a header, with groups expanded. */
const mailboxes = (given: readonly Address[]): { address?: string | undefined; name: string }[] =>
  given.flatMap((one) => one.group ?? [one]);

function participantsOf(raw: Raw): Correspondent[] {
  const seen = new Set<string>();
  return (["from", "to", "cc"] as const).flatMap((role) =>
    headersOf(raw, role)
      .flatMap((value) => mailboxes(addressParser(joinedWords(value))))
      .flatMap(({ address, name }) => {
        const email = oneLine(address)?.toLowerCase() ?? null;
        const person = oneLine(decodeWords(name));
        const key = `${role} ${email ?? person}`;
        if ((email === null && person === null) || seen.has(key)) return [];
        seen.add(key);
        return [{ email, name: person, role }];
      }),
  );
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " " };

/** Decodes the HTML entities in a snippet. */
export const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|nbsp));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] as string;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 31 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : entity;
  });

/** The instants whose year has four digits, as ISO 8601 texts need it. */
const [FIRST, LAST] = ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"].map(Date.parse) as [number, number];

/** A message of the provider that cannot be read. */
export class UnreadableMessage extends Error {
  override name = "UnreadableMessage";
}

/** When the provider received a message, ISO 8601. @throws UnreadableMessage */
function momentOf({ internalDate }: Raw): string {
  const at = internalDate ? Number(internalDate) : Number.NaN;
  if (!(at >= FIRST && at <= LAST)) throw new UnreadableMessage("a message without a time");
  return new Date(at).toISOString();
}

/** Parses a message of the provider (workspace §2.7). @throws UnreadableMessage if it has no id, thread or time */
export function readMessage(raw: Raw): MailMessage {
  const { id, threadId } = raw;
  if (!id || !threadId) throw new UnreadableMessage("a message without id or thread");
  const subject = headersOf(raw, "subject")[0];
  return {
    id,
    thread_id: threadId,
    message_id: oneLine(headersOf(raw, "message-id")[0]),
    labels: raw.labelIds ?? [],
    subject: subject === undefined ? null : shortened(oneLine(decodeWords(joinedWords(subject))) ?? "", 500) || null,
    snippet: oneLine(unescaped(raw.snippet ?? "")),
    occurred_at: momentOf(raw),
    deep_link: `https://mail.google.com/mail/#all/${id}`,
    participants: participantsOf(raw),
  };
}

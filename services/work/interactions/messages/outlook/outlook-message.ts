import { typeByName } from "../../../../../core/files/file-types.ts";
import { type CompoundEntry, CompoundFile } from "./compound-file.ts";

/** A message as Outlook saves it, in the terms of mail. */
export interface OutlookMessage {
  /** The headers of a message on its way by mail; without a way, they are made from its properties. */
  headers: string;
  text: string;
  html: string;
  attachments: { filename: string | null; mimeType: string; content: Uint8Array }[];
}

/** Properties by id (MS-OXPROPS). */
const ID = {
  ...{ subject: 0x0037, submitted: 0x0039, delivered: 0x0e06, transportHeaders: 0x007d, messageId: 0x1035, inReplyTo: 0x1042 },
  ...{ references: 0x1039, text: 0x1000, html: 0x1013, codePage: 0x3ffd, htmlCodePage: 0x3fde },
  ...{ senderName: 0x0c1a, senderAddress: 0x0c1f, senderMail: 0x5d01, role: 0x0c15 },
  ...{ name: 0x3001, address: 0x3003, mail: 0x39fe, data: 0x3701, longFileName: 0x3707, fileName: 0x3704, mimeType: 0x370e },
} as const;
const [STRING_8, STRING_16, BINARY] = ["001E", "001F", "0102"];
/** The properties without a stream: behind a header, 16 bytes each. */
const PROPERTIES = "__properties_version1.0";
const [PROPERTY, HEADER_OF_MESSAGE, HEADER_OF_PART] = [16, 32, 8];
const RECIPIENT = /^__recip_version1\.0_/i;
const ATTACHMENT = /^__attach_version1\.0_/i;
const ROLES: Readonly<Record<number, string>> = { 1: "To", 2: "Cc" };
/** Most people and files that are read. */
const [MOST_RECIPIENTS, MOST_FILES] = [1000, 100];
/** Headers of a message that was sent by mail which do not describe its body. */
const KEPT = /^(?:from|to|cc|subject|date|received|message-id|references|in-reply-to)\s*:/i;
/** Milliseconds from 1601, where Windows counts from, to 1970. */
const SINCE_1601 = 11_644_473_600_000;
const CODE_PAGES: Readonly<Record<number, string>> = {
  ...{ 65001: "utf-8", 932: "shift_jis", 936: "gbk", 949: "euc-kr", 950: "big5", 20866: "koi8-r", 54936: "gb18030" },
};

function decoder(codePage: number | undefined): InstanceType<typeof TextDecoder> {
  const windows = codePage === 874 || (codePage !== undefined && codePage >= 1250 && codePage <= 1258);
  const iso = codePage !== undefined && codePage > 28590 && codePage < 28607;
  const label = windows ? `windows-${codePage}` : iso ? `iso-8859-${codePage - 28590}` : CODE_PAGES[codePage ?? 0];
  try {
    return new TextDecoder(label ?? "windows-1252");
  } catch {
    return new TextDecoder("windows-1252");
  }
}

/** The properties of a message, a recipient or an attachment. */
class Properties {
  readonly #file: CompoundFile;
  readonly #storage: CompoundEntry;
  readonly #fixed: ReadonlyMap<number, Buffer>;

  constructor(file: CompoundFile, storage: CompoundEntry, header: number) {
    this.#file = file;
    this.#storage = storage;
    const entry = storage.children.get(PROPERTIES);
    const bytes = entry ? file.read(entry).subarray(header) : Buffer.alloc(0);
    this.#fixed = new Map(
      Array.from({ length: Math.floor(bytes.length / PROPERTY) }, (_, index) => {
        const one = bytes.subarray(index * PROPERTY, (index + 1) * PROPERTY);
        return [one.readUInt16LE(2), one.subarray(8)] as const;
      }),
    );
  }

  number(id: number): number | undefined {
    return this.#fixed.get(id)?.readUInt32LE(0);
  }

  /** A time as a header has it; undefined without one. */
  time(id: number): string | undefined {
    const ticks = this.#fixed.get(id)?.readBigUInt64LE(0);
    if (ticks === undefined || ticks === 0n) return undefined;
    const at = new Date(Number(ticks / 10_000n) - SINCE_1601);
    return Number.isNaN(at.getTime()) ? undefined : at.toUTCString();
  }

  bytes(id: number, type = BINARY): Buffer | undefined {
    const name = `__substg1.0_${id.toString(16).toUpperCase().padStart(4, "0")}${type}`;
    const entry = this.#storage.children.get(name);
    return entry?.type === "stream" ? this.#file.read(entry) : undefined;
  }

  /** @param codePage of text that is not Unicode */
  text(id: number, codePage: number | undefined): string | undefined {
    const wide = this.bytes(id, STRING_16);
    const text = wide?.toString("utf16le") ?? decoder(codePage).decode(this.bytes(id, STRING_8));
    return text.replace(/\0+$/, "") || undefined;
  }
}

/** A header without the characters that would end it. */
const header = (name: string, value: string): string => `${name}: ${value.replace(/[\r\n\0]+/g, " ")}`;
/** Text in a header (RFC 2047). */
const encoded = (text: string): string => `=?utf-8?B?${Buffer.from(text.toWellFormed()).toString("base64")}?=`;
const mailbox = (name: string | undefined, address: string | undefined): string =>
  [name && encoded(name), address && `<${address.replace(/[<>\s]/g, "")}>`].filter(Boolean).join(" ");
const mailIn = (...addresses: (string | undefined)[]): string | undefined => addresses.find((address) => address?.includes("@"));

/** The headers of a message's way that say who wrote it when; undefined without a sender. */
function ownHeaders(text: string): string | undefined {
  const fields = text.replace(/\r\n?/g, "\n").split(/\n(?![ \t])/);
  const kept = fields.filter((field) => KEPT.test(field));
  return kept.some((field) => /^from\s*:/i.test(field)) ? kept.join("\n").replaceAll("\n", "\r\n") : undefined;
}

function madeHeaders(own: Properties, recipients: readonly Properties[], codePage: number | undefined): string {
  const text = (id: number, of = own) => of.text(id, codePage);
  const lines = [header("From", mailbox(text(ID.senderName), mailIn(text(ID.senderMail), text(ID.senderAddress))))];
  for (const one of recipients) {
    const role = ROLES[one.number(ID.role) ?? 1];
    if (role) lines.push(header(role, mailbox(text(ID.name, one), mailIn(text(ID.mail, one), text(ID.address, one)))));
  }
  const date = own.time(ID.submitted) ?? own.time(ID.delivered);
  if (date !== undefined) lines.push(header("Date", date));
  const subject = text(ID.subject);
  if (subject !== undefined) lines.push(header("Subject", encoded(subject)));
  for (const [name, id] of [
    ["Message-ID", ID.messageId],
    ["In-Reply-To", ID.inReplyTo],
    ["References", ID.references],
  ] as const) {
    const value = text(id);
    if (value !== undefined) lines.push(header(name, value));
  }
  return lines.join("\r\n");
}

const partsOf = ({ children }: CompoundEntry, name: RegExp, most: number): CompoundEntry[] =>
  [...children.values()]
    .filter((entry) => entry.type === "storage" && name.test(entry.name))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .slice(0, most);

/**
 * Reads a message as Outlook saves it under the name `.msg` (MS-OXMSG): its headers, its body and its files. A message in a message is a
 * file without content.
 * @throws RangeError for a damaged file
 */
export function readOutlookMessage(saved: Uint8Array): OutlookMessage {
  const file = new CompoundFile(saved);
  const own = new Properties(file, file.root, HEADER_OF_MESSAGE);
  const codePage = own.number(ID.codePage);
  const recipients = partsOf(file.root, RECIPIENT, MOST_RECIPIENTS).map((one) => new Properties(file, one, HEADER_OF_PART));
  const sent = own.text(ID.transportHeaders, codePage);
  const html = own.bytes(ID.html);
  return {
    headers: (sent && ownHeaders(sent)) ?? madeHeaders(own, recipients, codePage),
    text: own.text(ID.text, codePage) ?? "",
    html: html ? decoder(own.number(ID.htmlCodePage) ?? codePage).decode(html) : (own.text(ID.html, codePage) ?? ""),
    attachments: partsOf(file.root, ATTACHMENT, MOST_FILES).map((storage) => {
      const one = new Properties(file, storage, HEADER_OF_PART);
      const name = [ID.longFileName, ID.fileName, ID.name].map((id) => one.text(id, codePage)).find(Boolean) ?? null;
      return {
        filename: name,
        mimeType: one.text(ID.mimeType, codePage) ?? typeByName(name ?? ""),
        content: one.bytes(ID.data) ?? new Uint8Array(0),
      };
    }),
  };
}

import { isUtf8 } from "node:buffer";
import { Readable } from "node:stream";
import { spool, stageUpload } from "../../../core/files/staged-uploads.ts";
import type { StagedUpload } from "../../../core/request/context.ts";
import type { gmail_v1 } from "../../../mixins/google/apis.ts";
import { callGoogle, type GoogleAccess } from "../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";

type Part = gmail_v1.Schema$MessagePart;

/** Fetches the bytes of a part that is not included in the message; null if the provider does not have them. */
type FetchPart = (attachmentId: string) => Promise<Buffer | null>;

const LINE = /.{1,76}/g;
const inLines = (bytes: Buffer): string => bytes.toString("base64").match(LINE)?.join("\r\n") ?? "";
const headerOf = ({ headers }: Part, name: string): string | undefined =>
  headers?.find((header) => header.name?.toLowerCase() === name)?.value?.replace(/[\r\n]+/g, " ") ?? undefined;
/** A file name as a parameter (RFC 2231). */
const nameParameter = (name: string): string =>
  `filename*=UTF-8''${encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)}`;

/**
 * The media type of a part, with the actual character set of text: the provider returns most texts in UTF-8, whatever their header says.
 */
function typeOf(part: Part, bytes: Buffer): string {
  const type = part.mimeType ?? "application/octet-stream";
  if (!type.startsWith("text/")) return type;
  const declared = /charset="?([\w.:-]+)/i.exec(headerOf(part, "content-type") ?? "")?.[1] ?? "utf-8";
  return `${type}; charset=${isUtf8(bytes) ? "utf-8" : declared}`;
}

/** The bytes of a part; null if the file is too large or missing. */
async function bytesOf(part: Part, most: number, fetchPart: FetchPart): Promise<Buffer | null> {
  const { data, attachmentId, size } = part.body ?? {};
  if (data != null) return Buffer.from(data, "base64url");
  if (!attachmentId) return Buffer.alloc(0);
  return (size ?? 0) > most ? null : fetchPart(attachmentId);
}

/** Writes a part and its subparts as MIME (RFC 2045). */
async function written(part: Part, most: number, fetchPart: FetchPart, depth: number): Promise<string | null> {
  if (part.mimeType?.startsWith("multipart/") && depth < 20) {
    const inner: string[] = [];
    for (const one of part.parts ?? []) {
      const text = await written(one, most, fetchPart, depth + 1);
      if (text !== null) inner.push(text);
    }
    // Parts are base64, so none of their lines begins with two hyphens.
    const boundary = `part-of-depth-${depth}`;
    return `Content-Type: ${part.mimeType}; boundary="${boundary}"\r\n\r\n${inner.map((text) => `--${boundary}\r\n${text}\r\n`).join("")}--${boundary}--\r\n`;
  }
  const bytes = await bytesOf(part, most, fetchPart);
  if (bytes === null) return null;
  const id = headerOf(part, "content-id");
  const lines = [
    `Content-Type: ${typeOf(part, bytes)}`,
    "Content-Transfer-Encoding: base64",
    ...(part.filename ? [`Content-Disposition: attachment; ${nameParameter(part.filename)}`] : []),
    ...(id ? [`Content-ID: ${id}`] : []),
  ];
  return `${lines.join("\r\n")}\r\n\r\n${inLines(bytes)}\r\n`;
}

/**
 * Converts a message of the provider to the format of a mail program, so that it is read like an uploaded one.
 * @param most bytes of the largest file to fetch; a larger one is left out, as in an upload
 */
export async function savedMessage(raw: gmail_v1.Schema$Message, most: number, fetchPart: FetchPart): Promise<Buffer> {
  const content = raw.payload ? await written(raw.payload, most, fetchPart, 0) : null;
  return Buffer.from(`Subject: message\r\nMIME-Version: 1.0\r\n${content ?? "Content-Type: text/plain\r\n\r\n"}`);
}

/** Fetches a whole message with its files and stages it in the store for the module that keeps it. @throws GoogleFailure */
export async function stageWhole(
  google: GoogleAccess,
  id: string,
  { organisationId, most, signal }: { organisationId: string; most: number; signal?: AbortSignal },
): Promise<StagedUpload> {
  const about = { api: "gmail", ...(signal && { signal }) } as const;
  const raw = await callGoogle(google, { ...about, operation: "messages.get" }, (client) =>
    client.users.messages.get({ userId: "me", id, format: "full" }),
  );
  const bytes = await savedMessage(raw, most, async (attachmentId) => {
    try {
      const found = await callGoogle(google, { ...about, operation: "attachments.get" }, (client) =>
        client.users.messages.attachments.get({ userId: "me", messageId: id, id: attachmentId }),
      );
      return Buffer.from(found.data ?? "", "base64url");
    } catch (error) {
      // The message is there: a missing file must not cost its body.
      if (error instanceof GoogleFailure && error.kind === "not_found") return null;
      throw error;
    }
  });
  return stageUpload(organisationId, await spool(Readable.from([bytes], { objectMode: false })));
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { discard } from "../../../core/files/staged-uploads.ts";
import { openStored } from "../../../core/files/storage.ts";
import type { HttpAnswer } from "../../../core/request/context.ts";
import { type Headers, write } from "./answers.ts";

type FileOf = NonNullable<HttpAnswer["file"]>;

/** Whether `If-None-Match` names the tag (RFC 9110 §13.1.2: compared weakly). */
function isKnown(request: IncomingMessage, tag: string | undefined): boolean {
  const given = request.headers["if-none-match"];
  if (given === undefined || tag === undefined) return false;
  return given.trim() === "*" || given.split(",").some((one) => one.trim().replace(/^W\//, "") === tag);
}

const opened = async (file: FileOf): Promise<{ bytes: Readable; size: number }> => {
  if ("place" in file) return openStored(file.place);
  const bytes = Buffer.from(file.base64, "base64");
  return { bytes: Readable.from([bytes], { objectMode: false }), size: bytes.length };
};

/**
 * Answers with a file, streamed from the store at the caller's pace; 304 when the caller already has it.
 * @throws 404 `errors.file_bytes_missing`, `errors.storage_backend_unavailable`, before any byte is sent
 */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  headers: Headers,
  file: FileOf,
): Promise<void> {
  const { ETag: tag, "Cache-Control": caching = "no-store", ...rest } = headers;
  if (isKnown(request, tag as string | undefined)) {
    const { "Content-Type": _type, "Content-Disposition": _disposition, ...kept } = rest;
    return write(request, response, 304, { ...kept, ETag: tag as string, "Cache-Control": caching }, null);
  }
  try {
    const { bytes, size } = await opened(file);
    response.writeHead(200, { ...headers, "Content-Length": String(size) });
    if (!request.complete) request.resume();
    if (request.method === "HEAD") {
      bytes.destroy();
      response.end();
    } else await pipeline(bytes, response).catch(() => void response.destroy());
  } finally {
    if ("once" in file && file.once) await discard([file.place]);
  }
}

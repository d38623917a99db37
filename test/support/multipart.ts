import { randomBytes } from "node:crypto";

/** A part of a multipart body; a file name or type makes it a file. */
export interface Part {
  name: string;
  content: string | Buffer;
  /** Goes into the header unescaped. */
  fileName?: string;
  type?: string;
}

export interface Multipart {
  body: Buffer;
  headers: Record<string, string>;
}

/** Encodes a multipart body as a browser does (RFC 7578). */
export function multipart(parts: readonly Part[], boundary = `----test${randomBytes(8).toString("hex")}`): Multipart {
  const chunks = parts.flatMap(({ name, content, fileName, type }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? "" : `; filename="${fileName}"`}\r\n` +
        `${type === undefined ? "" : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(content),
    Buffer.from("\r\n"),
  ]);
  const body = Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]);
  return {
    body,
    headers: { "Content-Type": `multipart/form-data; boundary=${boundary}`, "Content-Length": String(body.length) },
  };
}

/** A body with one file in the part `file`. */
export const fileBody = (content: string | Buffer, type = "text/plain", fileName = "notes.txt"): Multipart =>
  multipart([{ name: "file", content, fileName, type }]);

import type { ContentLocation, HttpAnswer, StagedUpload } from "../request/context.ts";
import { contentDisposition } from "./file-name.ts";
import { isInline } from "./file-types.ts";

/** A file as an action's answer: headers, and the location of its bytes, or the bytes themselves if just generated and small. */
export class FileAnswer {
  readonly headers: Record<string, string>;
  readonly file: NonNullable<HttpAnswer["file"]>;

  constructor(headers: Record<string, string>, file: NonNullable<HttpAnswer["file"]>) {
    this.headers = headers;
    this.file = file;
  }
}

/** Only pages of this host show a file inside of themselves. It may not load less: a PDF is a page of the browser's own. */
const FRAMED = "frame-ancestors 'self'";

const describing = (name: string, type: string, inline: boolean) => ({
  "Content-Type": type,
  "Content-Disposition": contentDisposition(inline ? "inline" : "attachment", name),
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": FRAMED,
});

/** A stored file as an answer. Its ETag is its id, because a file's bytes never change (conventions §14). */
export function storedFile(
  { id, name, type, place }: { id: string; name: string; type: string; place: ContentLocation },
  { shared = false } = {},
): FileAnswer {
  const caching = { ETag: `"${id}"`, "Cache-Control": `${shared ? "public" : "private"}, max-age=3600` };
  return new FileAnswer({ ...describing(name, type, isInline(type)), ...caching }, { place, once: false });
}

/**
 * A document generated for this answer, small enough for memory: a PDF, a page, a short export.
 * @param bytes text is sent as UTF-8
 */
export function madeFile(
  { name, type, bytes }: { name: string; type: string; bytes: Buffer | string },
  { inline = false, headers = {} }: { inline?: boolean; headers?: Record<string, string> } = {},
): FileAnswer {
  const exact = typeof bytes === "string" ? `${type}; charset=utf-8` : type;
  const all = { ...describing(name, exact, inline), "Cache-Control": "no-store", ...headers };
  return new FileAnswer(all, { base64: Buffer.from(bytes).toString("base64") });
}

/** A document of any size that `stageBytes` put into the store for this answer; it is removed after sending. */
export function stagedFile({ name, type, staged }: { name: string; type: string; staged: StagedUpload }): FileAnswer {
  const { organisationId, id, backend } = staged;
  const place = { organisationId, id, backend };
  return new FileAnswer({ ...describing(name, type, false), "Cache-Control": "no-store" }, { place, once: true });
}

import { type FileAnswer, madeFile } from "../../core/files/file-answer.ts";

/** What a browser may do with a document: show it, in a frame of the organisation's own pages at most (money §14). */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'";

/** A document as a page to be looked at. */
export const shownPage = (name: string, html: string, headers: Record<string, string> = {}): FileAnswer =>
  madeFile(
    { name, type: "text/html", bytes: html },
    { inline: true, headers: { "Content-Security-Policy": POLICY, ...headers } },
  );

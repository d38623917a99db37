import { type FileAnswer, madeFile } from "../../core/files/file-answer.ts";

/** A browser may only display a document, framed at most by the organisation's own pages (money §14). */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'";

/** A document as a page to view. */
export const shownPage = (name: string, html: string, headers: Record<string, string> = {}): FileAnswer =>
  madeFile(
    { name, type: "text/html", bytes: html },
    { inline: true, headers: { "Content-Security-Policy": POLICY, ...headers } },
  );

import { shortened } from "../../../core/values/stored-text.ts";
import { blankToNull, withoutHtml } from "../../../core/values/text.ts";
import { plainText } from "../comments/plain-text.ts";

/** Characters of a snippet. */
const SNIPPET = 240;

/** A body as stored: markdown without HTML, its plain text, and a snippet. */
export function bodyOf(markdown: string | null): {
  body_markdown: string | null;
  body_text: string | null;
  snippet: string | null;
} {
  const kept = blankToNull(markdown === null ? null : withoutHtml(markdown)) ?? null;
  const words = kept === null ? null : plainText(kept);
  return { body_markdown: kept, body_text: words, snippet: words === null ? null : snippetOf(words) };
}

/** The first words of a text on one line. */
export function snippetOf(text: string): string {
  const words = text.replace(/\s+/g, " ").trim();
  return words.length > SNIPPET ? `${shortened(words, SNIPPET - 1).trimEnd()}…` : words;
}

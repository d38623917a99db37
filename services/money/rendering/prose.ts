import { request } from "../../../core/request/context.ts";
import { offThread } from "../../../core/threads/off-thread.ts";
import { TaskFailed } from "../../../core/threads/thread-pool.ts";
import { escapedHtml, withoutHtml } from "../../../core/values/text.ts";
import type { DocumentRow } from "./document-rows.ts";
import { markdown } from "./texts/markdown.ts";
import { inLanguage } from "./texts/words.ts";

/** Characters of markdown that a request renders itself, in 10 ms at most; longer texts go to a worker thread. */
const MOST_AT_ONCE = 4_000;

const inThread = offThread<readonly string[], string[]>(new URL("./texts/markdown.task.ts", import.meta.url));

/** Renders a document's markdown as HTML. */
export type Prose = (source: string) => string;

/** Paragraphs and line breaks of a text whose markdown takes too long. */
const plain = (source: string): string =>
  withoutHtml(source)
    .split(/\n{2,}/)
    .map((part) => `<p>${escapedHtml(part).replaceAll("\n", "<br>\n")}</p>`)
    .join("\n");

/** All markdown texts of a document: its own, and its template's. */
function sourcesOf({ intro, notes, template, locale }: DocumentRow): string[] {
  const own = [template?.intro_i18n, template?.payment_i18n, template?.footer_i18n].map((texts) => inLanguage(texts, locale));
  return [...new Set([intro, notes, ...own].flatMap((text) => text || []))];
}

/** The texts of a document as HTML; long ones render in a worker thread, and those that take too long there are printed as plain text. */
export async function proseOf(row: DocumentRow): Promise<Prose> {
  const sources = sourcesOf(row);
  if (sources.reduce((sum, { length }) => sum + length, 0) <= MOST_AT_ONCE) return markdown;
  const rendered = await inThread(request().organisation.id, sources).catch((error: unknown) => {
    if (error instanceof TaskFailed) return sources.map(plain);
    throw error;
  });
  const known = new Map(sources.map((source, at) => [source, rendered[at] ?? ""]));
  return (source) => known.get(source) ?? plain(source);
}

import type MarkdownIt from "markdown-it";
import { later } from "../../../../core/values/later.ts";
import { withoutHtml } from "../../../../core/values/text.ts";

const markdownIt = later<typeof MarkdownIt>("markdown-it");
let engine: MarkdownIt | undefined;

/** The engine, made at its first use, without pictures in texts: a document shows only its own. */
const parser = (): MarkdownIt =>
  (engine ??= new (markdownIt())({ html: false, linkify: false, typographer: false, breaks: true }).disable("image"));

/** Notes as HTML: CommonMark, all line breaks kept, raw HTML stripped, only web and mail links (money §2). */
export const markdown = (source: string): string => parser().render(withoutHtml(source)).trim();

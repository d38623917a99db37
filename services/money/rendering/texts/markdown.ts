import MarkdownIt from "markdown-it";
import { withoutHtml } from "../../../../core/values/text.ts";

const engine = new MarkdownIt({ html: false, linkify: false, typographer: false, breaks: true });
// Disables pictures in texts: a document shows only its own.
engine.disable("image");

/** Notes as HTML: CommonMark, all line breaks kept, raw HTML stripped, only web and mail links (money §2). */
export const markdown = (source: string): string => engine.render(withoutHtml(source)).trim();

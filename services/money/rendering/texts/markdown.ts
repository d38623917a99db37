import MarkdownIt from "markdown-it";
import { withoutHtml } from "../../../../core/values/text.ts";

const engine = new MarkdownIt({ html: false, linkify: false, typographer: false, breaks: true });
// A document shows no picture but its own.
engine.disable("image");

/** Notes as HTML: CommonMark, every line break kept, raw HTML stripped, links to the web and to mail only (money §2). */
export const markdown = (source: string): string => engine.render(withoutHtml(source)).trim();

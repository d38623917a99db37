import type MarkdownIt from "markdown-it";
import type { Token } from "markdown-it";
import { later } from "../../../core/values/later.ts";
import { escapedHtml } from "../../../core/values/text.ts";
import { errorAddress } from "../errors/error-addresses.ts";
import { isErrorName } from "../errors/error-list.ts";
import { addressOf, linkedDocument, pictureAddress } from "./documents.ts";
import { highlighted } from "./highlight.ts";

const markdownIt = later<typeof MarkdownIt>("markdown-it");

/** A heading of a page, for its contents. */
export interface Heading {
  id: string;
  text: string;
  level: number;
}

/** A part of a page for the search: from a heading to the next; the first has none. */
export type Part = [anchor: string, heading: string, text: string];

export interface Rendered {
  html: string;
  headings: Heading[];
  parts: Part[];
}

/** The languages of samples, by the name in a document, with the name that readers see. */
export const LANGUAGES: Readonly<Record<string, string>> = { sh: "curl", ts: "TypeScript", python: "Python" };

/** The anchor of a heading, as repositories on the web make it. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

const plainOf = (token: Token | undefined): string =>
  (token?.children ?? []).map(({ type, content }) => (type === "softbreak" ? " " : content)).join("");

/** Gives headings anchors, and collects them. */
function withAnchors(tokens: readonly Token[]): Heading[] {
  const used = new Map<string, number>();
  return tokens.flatMap((token, index) => {
    if (token.type !== "heading_open") return [];
    const text = plainOf(tokens[index + 1]);
    const slug = slugOf(text);
    const before = used.get(slug) ?? 0;
    used.set(slug, before + 1);
    const id = before === 0 ? slug : `${slug}-${before}`;
    token.attrSet("id", id);
    return [{ id, text, level: Number(token.tag.slice(1)) }];
  });
}

/** Links lead to the other documents, links to code are its name alone, and pictures come from this service. */
function withAddresses(file: string, tokens: readonly Token[]): void {
  for (const part of tokens.flatMap(({ children }) => children ?? [])) {
    if (part.type === "image") part.attrSet("src", pictureAddress(part.attrGet("src") ?? ""));
    const href = part.type === "link_open" ? part.attrGet("href") : null;
    if (href === null || /^([a-z]+:|#|\/)/.test(href)) continue;
    const linked = linkedDocument(file, href);
    if (linked) part.attrSet("href", addressOf(linked.file) + (linked.anchor ? `#${linked.anchor}` : ""));
    else part.attrs = [];
  }
}

/** Inline code that names an error leads to its page; one word, such as `conflict`, can mean something else. */
function withErrors(tokens: readonly Token[]): void {
  for (const { children } of tokens) {
    let isLinked = false;
    for (const part of children ?? []) {
      if (part.type === "link_open") isLinked = true;
      else if (part.type === "link_close") isLinked = false;
      else if (part.type === "code_inline" && !isLinked && /[._]/.test(part.content) && isErrorName(part.content))
        part.meta = { address: errorAddress(part.content) };
    }
  }
}

function inlineCode({ content, meta }: Token): string {
  const code = `<code>${escapedHtml(content)}</code>`;
  return meta === null ? code : `<a href="${(meta as { address: string }).address}">${code}</a>`;
}

/** Tables whose head is empty have none. */
function withoutEmptyHeads(tokens: readonly Token[]): Token[] {
  const kept: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    if (token.type !== "thead_open") kept.push(token);
    else {
      const end = tokens.findIndex(({ type }, index) => index > at && type === "thead_close");
      const head = tokens.slice(at, end + 1);
      if (head.some(({ type, content }) => type === "inline" && content !== "")) kept.push(...head);
      at = end;
    }
  }
  return kept;
}

/** An empty cell of a head is no head of anything. */
function withoutEmptyHeadCells(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries())
    if (token.type === "th_open" && tokens[index + 1]?.content === "")
      for (const cell of [token, tokens[index + 2]]) if (cell) cell.tag = "td";
}

const languageOf = ({ info }: Token): string => info.trim().split(/\s/)[0] ?? "";
const isSample = (token: Token | undefined): token is Token => token?.type === "fence" && languageOf(token) in LANGUAGES;

/** Marks neighbouring code blocks in different languages as one sample. */
function markSamples(tokens: readonly Token[]): void {
  for (let at = 0; at < tokens.length; at++) {
    let end = at;
    while (isSample(tokens[end])) end += 1;
    const run = tokens.slice(at, end);
    if (new Set(run.map(languageOf)).size > 1)
      for (const [index, token] of run.entries()) token.meta = { first: index === 0, last: index === run.length - 1 };
    at = Math.max(at, end - 1);
  }
}

const SWITCH = `<div class="switch scripted" role="group" aria-label="Language of the samples">${Object.entries(LANGUAGES)
  .map(([language, name]) => `<button type="button" data-language="${language}" aria-pressed="false">${name}</button>`)
  .join("")}</div>`;

/** One code block; of a sample in several languages with its part of the switch. */
function fence(token: Token): string {
  const language = languageOf(token);
  const code = `<div class="code"><pre><code>${highlighted(token.content, language)}</code></pre></div>\n`;
  if (!token.meta) return code;
  const { first, last } = token.meta as { first: boolean; last: boolean };
  const name = `<p class="language">${LANGUAGES[language]}</p>`;
  return `${first ? `<div class="samples">${SWITCH}` : ""}<div class="sample" data-language="${language}">${name}${code}</div>${last ? "</div>\n" : ""}`;
}

/** The texts of a page below each of its headings. */
function partsOf(tokens: readonly Token[], headings: readonly Heading[]): Part[] {
  const parts: Part[] = [["", "", ""]];
  const left = [...headings];
  let isHeading = false;
  for (const { type, tag, content, children } of tokens) {
    if (type === "heading_open") {
      const heading = left.shift() as Heading;
      isHeading = true;
      if (tag !== "h1") parts.push([encodeURIComponent(heading.id), heading.text, ""]);
    } else if (type === "heading_close") isHeading = false;
    else if (!isHeading && (type === "inline" || type === "fence" || type === "code_block")) {
      const text = children ? children.map((part) => (part.type === "softbreak" ? " " : part.content)).join("") : content;
      const last = parts.at(-1) as Part;
      last[2] = `${last[2]} ${text.replaceAll(/\s+/g, " ")}`.trim();
    }
  }
  return parts;
}

/**
 * Renders a document: headings have anchors, links lead to the other documents, links to code are its name alone, pictures come from this
 * service, tables scroll, and neighbouring code blocks in several languages become one sample.
 * @param file its path in the repository
 */
export function rendered(file: string, text: string): Rendered {
  const markdown = new (markdownIt())({ linkify: false });
  let headings: Heading[] = [];
  let parts: Part[] = [];
  markdown.core.ruler.push("guide", (state) => {
    headings = withAnchors(state.tokens);
    parts = partsOf(state.tokens, headings);
    withAddresses(file, state.tokens);
    withErrors(state.tokens);
    state.tokens = withoutEmptyHeads(state.tokens);
    withoutEmptyHeadCells(state.tokens);
    markSamples(state.tokens);
  });
  const { rules } = markdown.renderer;
  rules["code_inline"] = (tokens, index) => inlineCode(tokens[index] as Token);
  rules.fence = (tokens, index) => fence(tokens[index] as Token);
  rules["table_open"] = () => '<div class="table"><table>\n';
  rules["table_close"] = () => "</table></div>\n";
  rules["heading_close"] = (tokens, index) => {
    const { tag } = tokens[index] as Token;
    const id = (tokens[index - 2] as Token).attrGet("id");
    const anchor =
      tag === "h1" ? "" : `<a class="anchor" href="#${encodeURIComponent(id ?? "")}" aria-label="Link to this part">#</a>`;
    return `${anchor}</${tag}>\n`;
  };
  return { html: markdown.render(text), headings, parts };
}

import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import type MarkdownIt from "markdown-it";
import { Html, html } from "../../../core/pages/html.ts";
import { later } from "../../../core/values/later.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { foundOperations } from "./operation-search.ts";

const markdownIt = later<typeof MarkdownIt>("markdown-it");

/** Address of the guide's index; each document is below it, by its path without `docs/` and `.md`. */
export const GUIDE = "/api/guide";

export const GUIDE_STYLE = `body { font: 16px/1.55 system-ui, sans-serif; max-width: 54rem; margin: 0 auto; padding: 0 1rem 3rem; color: #1f2933; background: #fff; }
nav { display: flex; flex-wrap: wrap; gap: 0.4rem 1.2rem; align-items: center; padding: 0.8rem 0; border-bottom: 1px solid #d9e2ec; }
nav form { margin-left: auto; }
input, button { font: inherit; }
a { color: #1d4ed8; }
img { max-width: 100%; height: auto; border: 1px solid #d9e2ec; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
code { overflow-wrap: anywhere; }
pre { background: #f1f5f9; padding: 0.8rem; overflow-x: auto; }
pre code { overflow-wrap: normal; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.8rem 0.3rem 0; border-bottom: 1px solid #d9e2ec; }
mark { background: #fef08a; }
`;

/** Folder of the pictures in the documents. */
const PICTURES = "docs/images";

interface GuidePage {
  title: string;
  text: string;
}

const ROOT = path.join(import.meta.dirname, "../../..");
const INDEX = "docs/README.md";
/** Documents outside of `docs`. */
const OTHERS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md"];
const MOST_FOUND = 30;
const MOST_OPERATIONS = 15;

/** Address of a document, by its file: `docs/rules/money.md` is at `/api/guide/rules/money`. */
const addressOf = (file: string): string =>
  file === INDEX ? GUIDE : `${GUIDE}/${file.startsWith("docs/") ? file.slice(5, -3) : file.slice(0, -3).toLowerCase()}`;

const pictureAddress = (file: string): string => `${GUIDE}/assets/${path.basename(file)}`;

/** The files of the pictures in the documents, by address. */
export const guidePictures = (): [address: string, file: string][] =>
  globSync(`${PICTURES}/*.png`, { cwd: ROOT }).map((file) => [pictureAddress(file), path.join(ROOT, file)]);

/** The anchor of a heading, as repositories on the web make it. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

let pages: ReadonlyMap<string, GuidePage> | undefined;

/** The documents by address, read once. */
function guidePages(): ReadonlyMap<string, GuidePage> {
  pages ??= new Map(
    [...OTHERS, ...globSync("docs/**/*.md", { cwd: ROOT }).sort()].map((file) => {
      const text = readFileSync(path.join(ROOT, file), "utf8");
      return [addressOf(file), { title: /^# (.+)$/m.exec(text)?.[1] ?? file, text: rendered(file, text) }] as const;
    }),
  );
  return pages;
}

/** A document as HTML: headings have anchors, links lead to the other documents, links to code are its name alone, and pictures come from this service. */
function rendered(file: string, text: string): string {
  const markdown = new (markdownIt())({ linkify: false });
  const used = new Map<string, number>();
  markdown.core.ruler.push("guide", ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type === "heading_open") {
        const slug = slugOf((tokens[index + 1]?.children ?? []).map(({ content }) => content).join(""));
        const before = used.get(slug) ?? 0;
        used.set(slug, before + 1);
        token.attrSet("id", before === 0 ? slug : `${slug}-${before}`);
      }
      for (const part of token.children ?? []) {
        if (part.type === "image") part.attrSet("src", pictureAddress(part.attrGet("src") ?? ""));
        const href = part.type === "link_open" ? part.attrGet("href") : null;
        if (href === null || /^([a-z]+:|#|\/)/.test(href)) continue;
        const [target = "", anchor] = href.split("#");
        const named = path.posix.join(path.posix.dirname(file), target);
        const isDocument = OTHERS.includes(named) || (named.startsWith("docs/") && named.endsWith(".md"));
        if (isDocument) part.attrSet("href", addressOf(named) + (anchor ? `#${anchor}` : ""));
        else part.attrs = [];
      }
    }
  });
  return markdown.render(text);
}

function page(title: string, heading: string, words: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading} · ${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${GUIDE}/assets/guide.css">
</head>
<body>
<nav aria-label="Guide"><a href="${GUIDE}">Guide</a> <a href="/api/reference">Reference</a> <a href="/api/docs/errors">Errors</a>
<form role="search" action="${GUIDE}"><input type="search" name="q" value="${words}" aria-label="Words"> <button>Search</button></form></nav>
<main>
${content}
</main>
</body>
</html>
`.text;
}

/** The operations of the reference that contain every word. */
function listedOperations(document: string, wanted: readonly string[]): Html {
  const operations = foundOperations(document, wanted);
  const shown = operations.slice(0, MOST_OPERATIONS);
  const rest = operations.length - shown.length;
  return html`${
    shown.length > 0 &&
    html`<h2>Operations</h2><ul>${shown.map(
      ({ route, summary, address }) => html`<li><a href="${address}"><code>${route}</code></a> ${summary}</li>
`,
    )}</ul>${rest > 0 && html`<p>And ${rest} more: add a word.</p>`}`
  }`;
}

/** The documents that contain every word, with the passage of the first, and the operations. */
function found(words: string, document: string): Html {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = [...guidePages()].flatMap(([address, { title, text }]) => {
    const plain = text.replace(/<[^>]+>/g, " ").replace(/&(lt|gt|amp|quot);/g, " ");
    const lower = plain.toLowerCase();
    if (!wanted.every((word) => lower.includes(word))) return [];
    const [first = ""] = wanted;
    const at = lower.indexOf(first);
    const [before, hit, after] = [
      plain.slice(Math.max(0, at - 90), at).replace(at > 90 ? /^\S+/ : /^/, " "),
      plain.slice(at, at + first.length),
      plain.slice(at + first.length),
    ];
    const rank = wanted.every((word) => title.toLowerCase().includes(word)) ? 0 : 1;
    const shown = html`<li><a href="${address}">${title}</a><br>…${before}<mark>${hit}</mark>${shortened(after, 120).replace(/\S*$/, "")}…</li>
`;
    return [{ rank, shown }];
  });
  const listed = hits.sort((one, other) => one.rank - other.rank).slice(0, MOST_FOUND);
  const operations = listedOperations(document, wanted);
  if (listed.length === 0) return html`<h1>Search</h1><p>No document has all of these words.</p>${operations}`;
  return html`<h1>Search</h1><ul>${listed.map(({ shown }) => shown)}</ul>${operations}`;
}

/**
 * Renders a page of the guide from the repository's documents.
 * @param address path of the request, without a slash at its end
 * @param words what is searched for at the index; null for the index itself
 * @param reference its OpenAPI document as JSON text, and its title
 */
export function guidePage(
  address: string,
  words: string | null,
  { document, title }: { document: () => string; title: string },
): { status: number; body: string } {
  if (address === GUIDE && words) return { status: 200, body: page(title, "Search", words, found(words, document())) };
  const known = guidePages().get(address);
  if (!known) return { status: 404, body: page(title, "No such page", "", html`<h1>No such page</h1>`) };
  return { status: 200, body: page(title, known.title, "", new Html(known.text)) };
}

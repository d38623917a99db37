import { type Html, html } from "../../../core/pages/html.ts";
import { ERROR_PAGES } from "../errors/error-addresses.ts";
import { ASSETS, GUIDE } from "./documents.ts";
import type { Heading } from "./rendering.ts";

/** Address of the style sheet and of the script of each page. */
export const STYLE_ADDRESS = `${ASSETS}/guide.css`;
export const SCRIPT_ADDRESS = `${ASSETS}/guide.js`;

/**
 * Policy of the guide and of the error pages: their own script and style sheet, pictures and search from this server, one form.
 */
export const SITE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/** A link to another page. */
export interface Way {
  address: string;
  name: string;
}

export interface Content {
  /** Of the tab of the browser. */
  heading: string;
  /** Which link of the head is the current one. */
  at: "guide" | "errors";
  /** What was searched for. */
  words?: string;
  side: Html;
  body: Html;
  /** For the contents of the page. */
  headings?: readonly Heading[];
  before?: Way | undefined;
  after?: Way | undefined;
}

const WAYS = [
  ["guide", GUIDE, "Guide"],
  ["reference", "/api/reference", "Reference"],
  ["errors", ERROR_PAGES, "Errors"],
] as const;

const ways = (at: Content["at"]): Html[] =>
  WAYS.map(
    ([key, address, name]) => html`<a href="${address}"${key === at && html` aria-current="true"`}>${name}</a>
`,
  );

const contentsOf = (headings: readonly Heading[]): Html =>
  html`<ol>${headings.map(
    ({ id, text, level }) => html`<li${level > 2 && html` class="deep"`}><a href="#${encodeURIComponent(id)}">${text}</a></li>
`,
  )}</ol>`;

const turn = (kind: string, name: string, way: Way | undefined): Html | false =>
  way !== undefined && html`<a class="${kind}" rel="${kind}" href="${way.address}"><span>${name}</span>${way.name}</a>`;

/**
 * Renders a page of the guide or of an error: head with search, sidebar, the page with its contents, and the ways to its neighbours.
 * @param title of the API
 */
export function shell(title: string, { heading, at, words = "", side, body, headings = [], before, after }: Content): string {
  const parts = headings.filter(({ level }) => level === 2 || level === 3);
  const chapters = parts.filter(({ level }) => level === 2);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${heading} · ${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLE_ADDRESS}">
<script src="${SCRIPT_ADDRESS}"></script>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header class="top">
<button type="button" class="menu" popovertarget="side">Menu</button>
<a class="name" href="${GUIDE}">${title}</a>
<form class="search" role="search" action="${GUIDE}"><input type="search" name="q" value="${words}" placeholder="Search" aria-label="Search the guide, the errors and the operations" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="results" aria-autocomplete="list" aria-keyshortcuts="/">
<div class="results" id="results" role="listbox" aria-label="Results" hidden></div><span class="found" role="status"></span></form>
<nav class="ways" aria-label="Parts">${ways(at)}</nav>
<button type="button" class="theme scripted" aria-pressed="false" aria-label="Dark mode" title="Dark mode">◐</button>
</header>
<div class="frame">
<nav class="side" id="side" popover aria-label="Pages"><p class="elsewhere">${ways(at)}</p>
${side}</nav>
<main id="content">
${chapters.length > 1 && html`<details class="onpage"><summary>On this page</summary>${contentsOf(chapters)}</details>`}
${body}
${(before ?? after) && html`<nav class="turn" aria-label="Neighbours">${turn("prev", "Previous", before)}${turn("next", "Next", after)}</nav>`}
</main>
${parts.length > 1 && html`<nav class="contents" aria-label="On this page"><p>On this page</p>${contentsOf(parts)}</nav>`}
</div>
</body>
</html>
`.text;
}

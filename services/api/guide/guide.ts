import { Html, html } from "../../../core/pages/html.ts";
import { addressOf, documents, GUIDE, textOf } from "./documents.ts";
import { type Entry, type Group, groups, inOrder } from "./navigation.ts";
import { type Rendered, rendered } from "./rendering.ts";
import { foundPages, type SearchedError, type SearchedPage, searchText } from "./search.ts";
import { type Content, shell, type Way } from "./shell.ts";

/** Index of the tasks from beginning to end. */
const GUIDES = "docs/guides/README.md";

interface GuidePage extends Rendered {
  title: string;
  file: string;
}

interface Site {
  pages: ReadonlyMap<string, GuidePage>;
  sidebar: readonly Group[];
  order: readonly string[];
  searched: readonly SearchedPage[];
}

const titleOf = (file: string, text: string): string => (/^# (.+)$/m.exec(text)?.[1] ?? file).replaceAll("`", "");

let site: Site | undefined;

/** All pages, read and rendered once: at the first request, because most nodes never show the guide. */
function wholeSite(): Site {
  if (site) return site;
  const pages = new Map<string, GuidePage>();
  for (const file of documents()) {
    const text = textOf(file);
    pages.set(addressOf(file), { title: titleOf(file, text), file, ...rendered(file, text) });
  }
  const sidebar = groups();
  const searched = [...pages].map(([address, { title, parts }]) => ({ address, title, parts }));
  site = { pages, sidebar, order: inOrder(sidebar).map(addressOf), searched };
  return site;
}

const isWithin = ({ file, children }: Entry, current: string): boolean =>
  file === current || children.some((child) => child.file === current);

function listed(entries: readonly Entry[], current: string): Html {
  const link = ({ file, name }: Entry) =>
    html`<a href="${addressOf(file)}"${file === current && html` aria-current="page"`}>${name}</a>`;
  const items: Html[] = [];
  for (const [label, together] of Map.groupBy(entries, (entry) => entry.label)) {
    const inside = together.map((entry) => {
      // The guides are what most readers come for, so they are always listed.
      const isOpen = entry.children.length > 0 && (isWithin(entry, current) || entry.file === GUIDES);
      return html`<li>${link(entry)}${isOpen && listed(entry.children, current)}</li>
`;
    });
    if (label === "") items.push(...inside);
    else
      items.push(html`<li><span class="label">${label}</span><ul>${inside}</ul></li>
`);
  }
  return html`<ul>
${items}</ul>`;
}

/** The sidebar: every group can be opened, the one of the current page is open. */
function sideOf(sidebar: readonly Group[], current: string): Html {
  const own = sidebar.findIndex(({ entries }) => entries.some((entry) => isWithin(entry, current)));
  return html`${sidebar.map(
    ({ name, entries }, at) => html`<details${(at === own || (own === -1 && at < 2)) && html` open`}><summary>${name}</summary>
${listed(entries, current)}
</details>
`,
  )}`;
}

const wayTo = ({ pages, order }: Site, at: number): Way | undefined => {
  const address = order[at];
  const page = address === undefined ? undefined : pages.get(address);
  return page && address !== undefined ? { address, name: page.title } : undefined;
};

/** The pages as they are sent, by title of the API and address. */
const sent = new Map<string, string>();

function pageOf(whole: Site, address: string, known: GuidePage, title: string): string {
  const key = `${title} ${address}`;
  const made = sent.get(key);
  if (made !== undefined) return made;
  const at = whole.order.indexOf(address);
  const content: Content = {
    heading: known.title,
    at: "guide",
    side: sideOf(whole.sidebar, known.file),
    body: new Html(known.html),
    headings: known.headings,
    before: wayTo(whole, at - 1),
    after: wayTo(whole, at + 1),
  };
  const body = shell(title, content);
  sent.set(key, body);
  return body;
}

/** The sidebar for pages that are not of the guide. */
export const guideSide = (): Html => sideOf(wholeSite().sidebar, "");

/** What the search reads. @param document the OpenAPI document as JSON text */
export const guideSearch = (document: string, errors: readonly SearchedError[]): string =>
  searchText(document, wholeSite().searched, errors);

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
  const whole = wholeSite();
  const plain = { at: "guide", side: sideOf(whole.sidebar, "") } as const;
  if (address === GUIDE && words) {
    const body = foundPages(words, document(), whole.searched);
    return { status: 200, body: shell(title, { ...plain, heading: "Search", words, body }) };
  }
  const known = whole.pages.get(address);
  if (known) return { status: 200, body: pageOf(whole, address, known, title) };
  const body = html`<h1>No such page</h1><p>The address may be of an earlier version. <a href="${GUIDE}">All pages</a></p>`;
  return { status: 404, body: shell(title, { ...plain, heading: "No such page", body }) };
}

import { type Html, html } from "../../../core/pages/html.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { allOperations, foundOperations } from "./operation-search.ts";
import type { Part } from "./rendering.ts";

/** A page as the search reads it. */
export interface SearchedPage {
  address: string;
  title: string;
  parts: readonly Part[];
}

/** An error as the search reads it: address, name and meaning. */
export type SearchedError = [address: string, name: string, when: string];

const MOST_FOUND = 30;
const MOST_OPERATIONS = 15;

/**
 * What the search in the browser reads, as JSON text: pages in parts, errors, and the operations of the reference.
 * @param document the OpenAPI document as JSON text
 */
export function searchText(document: string, pages: readonly SearchedPage[], errors: readonly SearchedError[]): string {
  return JSON.stringify({
    pages: pages.map(({ address, title, parts }) => [address, title, parts]),
    errors,
    operations: allOperations(document).map(({ route, summary, address }) => [address, route, summary]),
  });
}

/** The operations of the reference that contain every word. */
function listedOperations(document: string, wanted: readonly string[]): Html {
  const operations = foundOperations(document, wanted);
  const shown = operations.slice(0, MOST_OPERATIONS);
  const rest = operations.length - shown.length;
  return html`${
    shown.length > 0 &&
    html`<h2>Operations</h2><ul class="plain">${shown.map(
      ({ route, summary, address }) => html`<li><a href="${address}"><code>${route}</code></a> ${summary}</li>
`,
    )}</ul>${rest > 0 && html`<p>And ${rest} more: add a word.</p>`}`
  }`;
}

/** The passage around a word of a text, with the word marked. */
function passage(text: string, word: string): Html {
  const at = text.toLowerCase().indexOf(word);
  const [before, hit, after] = [
    text.slice(Math.max(0, at - 90), at).replace(at > 90 ? /^\S+/ : /^/, " "),
    text.slice(at, at + word.length),
    text.slice(at + word.length),
  ];
  return html`…${before}<mark>${hit}</mark>${shortened(after, 120).replace(/\S*$/, "")}…`;
}

/** The result of the search without a script: the documents that contain every word, and the operations. */
export function foundPages(words: string, document: string, pages: readonly SearchedPage[]): Html {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = pages.flatMap(({ address, title, parts }) => {
    const text = parts.flatMap(([, heading, part]) => [heading, part]).join(" ");
    const lower = `${title} ${text}`.toLowerCase();
    if (!wanted.every((word) => lower.includes(word))) return [];
    const rank = wanted.every((word) => title.toLowerCase().includes(word)) ? 0 : 1;
    const [first = ""] = wanted;
    const shown = html`<li><a href="${address}">${title}</a><br>${text.toLowerCase().includes(first) && passage(text, first)}</li>
`;
    return [{ rank, shown }];
  });
  const listed = hits.sort((one, other) => one.rank - other.rank).slice(0, MOST_FOUND);
  const operations = listedOperations(document, wanted);
  if (listed.length === 0) return html`<h1>Search</h1><p>No document has all of these words.</p>${operations}`;
  return html`<h1>Search</h1><ul class="plain">${listed.map(({ shown }) => shown)}</ul>${operations}`;
}

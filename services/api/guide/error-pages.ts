import type { ErrorEntry } from "../../../core/errors/errors.ts";
import { type Html, html, Html as Markup } from "../../../core/pages/html.ts";
import { escapedHtml } from "../../../core/values/text.ts";
import { ERROR_PAGES, errorAddress, pageName } from "../errors/error-addresses.ts";
import { allErrorPages, type ErrorPage, meaningOf, pagesByArea } from "../errors/error-list.ts";
import { type Operation, operationKey, operationsOf } from "../errors/error-operations.ts";
import { errorText } from "../errors/error-texts.ts";
import { highlighted } from "./highlight.ts";
import { shell } from "./shell.ts";

/** A code as markup that breaks between its words only. */
const codeOf = (name: string): Html => html`<code>${new Markup(escapedHtml(name).replaceAll(/[._]/g, "$&<wbr>"))}</code>`;

const link = (name: string): Html => html`<a href="${errorAddress(name)}">${codeOf(pageName(name))}</a>`;

/** Backticks of a text as code. */
const words = (text: string): Html =>
  html`${text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;

const anchorOf = (area: string): string => area.toLowerCase().replaceAll(/\W+/g, "-");

/** The sidebar: the areas of the index. */
const side = (current: string | null): Html => html`<ul>
<li><a href="${ERROR_PAGES}"${current === "" && html` aria-current="page"`}>All errors</a></li>
${pagesByArea().map(
  ([
    area,
  ]) => html`<li><a href="${ERROR_PAGES}#${anchorOf(area)}"${area === current && html` aria-current="true"`}>${area}</a></li>
`,
)}</ul>`;

/** Examples of `fields`, for errors whose answers have them. */
const FIELDS: Readonly<Record<string, Record<string, string>>> = {
  "validation errors.validation": { name: "errors.required" },
  "invalid_sort errors.invalid_sort": { sort: "errors.invalid_sort" },
};

function example({ entries: [general], key }: ErrorPage): Html {
  const fields = general && FIELDS[`${general.code} ${general.message}`];
  const shown = general
    ? { error: { code: general.code, message: general.message, ...(fields && { fields }) } }
    : key?.in === "fields"
      ? { error: { code: "validation", message: "errors.validation", fields: { name: key.name } } }
      : { status: "failed", error: key?.name };
  const text = JSON.stringify(shown, null, 2);
  return html`<div class="code"><pre><code>${new Markup(highlighted(text, "json"))}</code></pre></div>`;
}

/** The operations that answer an error, in a group for each area. */
function operationList(operations: readonly Operation[]): Html {
  const isShort = operations.length <= 12;
  return html`${[...Map.groupBy(operations, ({ area }) => area)].map(
    ([area, inside]) => html`<details${isShort && html` open`}><summary>${area} (${inside.length})</summary>
<ul class="plain">
${inside.map(
  ({ route, summary, address }) => html`<li><a href="${address}"><code>${route}</code></a> ${summary}</li>
`,
)}</ul>
</details>
`,
  )}`;
}

/** Where an answer carries the name. */
function locations({ name, entries, key }: ErrorPage): Html {
  const statuses = [...new Set(entries.map(({ status }) => status))];
  const isCode = entries.some(({ code }) => code === name);
  const messages = [...new Set(entries.map(({ message }) => message).filter((message) => pageName(message) === name))];
  return html`<p class="soft">${statuses.length > 0 && html`Status ${statuses.join(", ")}. `}${
    isCode && html`<code>error.code</code> is ${codeOf(name)}. `
  }${messages.map((message) => html`<code>error.message</code> is ${codeOf(message)}. `)}${
    key?.in === "fields" && html`A field of <code>error.fields</code> has ${codeOf(key.name)}. `
  }${key?.in === "result" && html`The <code>error</code> of a stored result, such as a run or a delivery, is ${codeOf(key.name)}.`}</p>`;
}

/** The other errors with the same name: a code's further messages, and a message's further codes. */
const others = (page: ErrorPage): Html | false => {
  const { when } = meaningOf(page);
  const rest = page.entries.slice(1).filter((entry) => errorText(entry).when !== when || pageName(entry.message) !== page.name);
  const line = (entry: ErrorEntry) => {
    const target = pageName(entry.message) === page.name ? entry.code : entry.message;
    return html`<li>${entry.status} ${pageName(target) === page.name ? codeOf(target) : link(target)}<br>${words(errorText(entry).when)}</li>
`;
  };
  return (
    rest.length > 0 &&
    html`<h2 id="exactly">More exactly</h2>
<ul class="plain">
${rest.map(line)}</ul>`
  );
};

function pageBody(page: ErrorPage, by: ReadonlyMap<string, Operation[]>): Html {
  const { when, remedy } = meaningOf(page);
  const [general] = page.entries;
  // A code has the calls of its general error; those of its other messages are on their pages.
  const own = page.entries.filter(({ message }) => message === general?.message);
  const operations = own.flatMap(({ status, message }) => by.get(operationKey(status, message)) ?? []);
  return html`<h1>${codeOf(page.name)}</h1>
<p class="lead">${words(when)}</p>
${locations(page)}
<h2 id="answer">${page.key?.in === "result" && page.entries.length === 0 ? "An example" : "An answer"}</h2>
${example(page)}
<h2 id="remedy">What to do</h2>
<p>${words(remedy)}</p>
${others(page)}
${
  operations.length > 0 &&
  html`<h2 id="operations">Operations (${operations.length})</h2>
${operationList(operations)}`
}`;
}

const indexBody = (): Html => html`<h1>Errors</h1>
<p class="lead">Each code and each key of an answer has a page: what it means, an example, what to do, and the operations that answer it.</p>
<p><code>error.code</code> is for programs, <code>error.message</code> and the values of <code>error.fields</code> are keys of translations. What to repeat and what to change is in <a href="/api/guide/rules/conventions">what holds for every endpoint</a>.</p>
${pagesByArea().map(
  ([area, pages]) => html`<h2 id="${anchorOf(area)}">${area}</h2>
<ul class="plain">
${pages.map(
  (
    page,
  ) => html`<li>${link(page.name)} <span class="soft">${page.entries[0]?.status}</span><br>${words(meaningOf(page).when)}</li>
`,
)}</ul>
`,
)}`;

const HEADINGS = { answer: "An answer", remedy: "What to do", exactly: "More exactly", operations: "Operations" };

export interface ErrorAnswer {
  status: number;
  body: string;
  /** Address of the page, where it has another one. */
  location?: string;
}

/**
 * Renders the error pages: an index for an empty name, otherwise one page for each code and each key. A key with `errors.` in front leads to
 * the page without.
 * @param document returns the OpenAPI document, which lists the errors of each operation
 */
export function errorPages(document: () => string, title: string): (name: string) => ErrorAnswer {
  let known: { text: string; operations: ReadonlyMap<string, Operation[]>; bodies: Map<string, string> } | undefined;
  const current = () => {
    const text = document();
    if (known?.text !== text) known = { text, operations: operationsOf(text), bodies: new Map() };
    return known;
  };
  const made = (name: string, page: ErrorPage | undefined): string => {
    const { operations, bodies } = current();
    const kept = bodies.get(name);
    if (kept !== undefined) return kept;
    const content = page ? pageBody(page, operations) : indexBody();
    const headings = page
      ? Object.entries(HEADINGS).flatMap(([id, text]) => (content.text.includes(`id="${id}"`) ? [{ id, text, level: 2 }] : []))
      : pagesByArea().map(([area]) => ({ id: anchorOf(area), text: area, level: 2 }));
    const body = shell(title, {
      heading: page?.name ?? "Errors",
      at: "errors",
      side: side(page?.area ?? ""),
      body: content,
      headings,
    });
    bodies.set(name, body);
    return body;
  };
  return (name) => {
    if (name === "") return { status: 200, body: made("", undefined) };
    const page = allErrorPages().get(name);
    if (page) return { status: 200, body: made(name, page) };
    if (allErrorPages().has(pageName(name))) return { status: 308, body: "", location: errorAddress(name) };
    const body = html`<h1>No such error</h1><p>No error has this code or key. <a href="${ERROR_PAGES}">All errors</a></p>`;
    return { status: 404, body: shell(title, { heading: "No such error", at: "errors", side: side(null), body }) };
  };
}

/** Every error as the search reads it: address, name and meaning. */
export const searchedErrors = (): [address: string, name: string, when: string][] =>
  [...allErrorPages().values()].map((page) => [errorAddress(page.name), page.name, meaningOf(page).when]);

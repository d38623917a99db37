import { errorCatalogue } from "../../../core/declare/catalogue/catalogue.ts";
import type { ErrorEntry } from "../../../core/errors/errors.ts";
import { type Html, html } from "../../../core/pages/html.ts";
import { errorText } from "./error-texts.ts";

/** Address of the error index; each error's page is below it, by code or message key. */
export const ERROR_PAGES = "/api/docs/errors";

export const ERROR_STYLE = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color: #1f2933; }
a { color: #1d4ed8; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.8rem 0.3rem 0; border-bottom: 1px solid #d9e2ec; }
dt { font-weight: 600; margin-top: 0.6rem; }
dd { margin: 0; }
`;

/** An operation by method and path, with its link into the reference. */
interface Operation {
  route: string;
  summary: string;
  address: string;
}

interface Shown {
  operationId: string;
  summary?: string;
  tags?: string[];
  responses?: Record<string, { $ref?: string }>;
}

interface ShownAnswer {
  content?: Record<string, { examples?: Record<string, { value: { error: unknown; error_description?: string } }> }>;
}

interface ShownDocument {
  paths?: Record<string, Record<string, Shown>>;
  components?: { responses?: Record<string, ShownAnswer> };
}

const keyOf = (status: number | string, message: string) => `${status} ${message}`;

/** The message keys in a response's examples, in either envelope (ours or RFC 6749's). */
const messagesOf = ({ content = {} }: ShownAnswer): string[] =>
  Object.values(content["application/json"]?.examples ?? {}).map(
    ({ value: { error, error_description } }) => error_description ?? (error as { message: string }).message,
  );

/** The operations that may return an error, by status and message key. */
function operationsOf(text: string): Map<string, Operation[]> {
  const { paths = {}, components = {} } = JSON.parse(text) as ShownDocument;
  const found = new Map<string, Operation[]>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { operationId, summary = "", tags: [tag = ""] = [], responses = {} }] of Object.entries(methods)) {
      const address = `/api/redoc#tag/${tag}/operation/${operationId}`;
      const operation = { route: `${method.toUpperCase()} ${path}`, summary, address };
      for (const [status, { $ref = "" }] of Object.entries(responses))
        for (const message of messagesOf(components.responses?.[$ref.split("/").at(-1) as string] ?? {})) {
          const key = keyOf(status, message);
          found.set(key, [...(found.get(key) ?? []), operation]);
        }
    }
  return found;
}

const link = (name: string): Html => html`<a href="${ERROR_PAGES}/${name}"><code>${name}</code></a>`;

function page(title: string, heading: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${heading}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/api/docs/assets/errors.css">
</head>
<body>
<main>
<h1>${heading}</h1>
${content}
</main>
<p><a href="${ERROR_PAGES}">All errors</a> · <a href="/api/docs">Reference</a></p>
</body>
</html>
`.text;
}

function section(entry: ErrorEntry, operations: readonly Operation[], anchor: string | null): Html {
  const { when, remedy } = errorText(entry);
  const listed = operations.map(
    ({ route, summary, address }) => html`<li><a href="${address}"><code>${route}</code></a> ${summary}</li>
`,
  );
  return html`<section${anchor !== null && html` id="${anchor}"`}>
<h2>${entry.status} <code>${entry.message}</code></h2>
<dl>
<dt>Code</dt><dd>${link(entry.code)}</dd>
<dt>When</dt><dd>${when}</dd>
<dt>What to do</dt><dd>${remedy}</dd>
</dl>
${
  listed.length > 0 &&
  html`<details open><summary>Operations (${listed.length})</summary>
<ul>
${listed}</ul>
</details>`
}
</section>
`;
}

const index = (
  entries: readonly ErrorEntry[],
): Html => html`<p>Errors by status and code. <code>error.code</code> and <code>error.message</code> of an answer both name a page.</p>
<table>
<thead><tr><th>Status</th><th>Code</th><th>Message</th><th>When</th></tr></thead>
<tbody>
${entries.map(
  (
    entry,
  ) => html`<tr><td>${entry.status}</td><td>${link(entry.code)}</td><td>${link(entry.message)}</td><td>${errorText(entry).when}</td></tr>
`,
)}</tbody>
</table>`;

/**
 * Renders the error pages: an index for an empty name, one page per code with all its messages, and one per message key.
 * @param document returns the OpenAPI document, which lists the errors of each operation
 */
export function errorPages(document: () => string, title: string): (name: string) => { status: number; body: string } {
  const entries = errorCatalogue().filter(({ built }) => built);
  let known: { text: string; operations: Map<string, Operation[]> } | undefined;
  const operations = (): Map<string, Operation[]> => {
    const text = document();
    if (known?.text !== text) known = { text, operations: operationsOf(text) };
    return known.operations;
  };
  return (name) => {
    if (name === "") return { status: 200, body: page(title, "Errors", index(entries)) };
    const named = entries.filter(({ code, message }) => code === name || message === name);
    if (named.length === 0)
      return { status: 404, body: page(title, "No such error", html`<p>No error has this code or message.</p>`) };
    const by = operations();
    const sections = named.map((entry, at) => {
      // A message may occur with two statuses, but its id only once.
      const isFirst = named.findIndex(({ message }) => message === entry.message) === at;
      return section(entry, by.get(keyOf(entry.status, entry.message)) ?? [], isFirst ? entry.message : null);
    });
    return { status: 200, body: page(title, name, html`${sections}`) };
  };
}

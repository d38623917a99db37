import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ERROR_PAGES } from "../errors/error-addresses.ts";
import { ASSETS, GUIDE } from "../guide/documents.ts";
import { errorPages, searchedErrors } from "../guide/error-pages.ts";
import { guidePage, guideSearch } from "../guide/guide.ts";
import { SITE_POLICY } from "../guide/shell.ts";
import { AssetSender } from "./asset-sending.ts";
import { DOCUMENT, READER_ASSETS, READERS, readerPage } from "./readers.ts";

/** Forms of the OpenAPI document: for generators of clients, and for the readers. */
export const DOCUMENT_FORMS = ["codegen", "reference"] as const;
export type DocumentForm = (typeof DOCUMENT_FORMS)[number];

export interface DocsOptions {
  /** The OpenAPI document as JSON text; called per request, so it can follow the live registry. */
  document: () => string;
  /** Its other forms, by the value of `for`. */
  forms: Readonly<Record<DocumentForm, () => string>>;
  /** The catalogue of domain events as JSON text. */
  events: () => Promise<string>;
  title: string;
}

/** Answers a request if its path, without the query, belongs to the reference. */
type DocsHandler = (path: string, request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

const EVENTS = "/api/events.json";
/** What the search of the guide reads in the browser. */
const SEARCH = `${ASSETS}/search.json`;
const JSON_TYPE = "application/json; charset=utf-8";
const HTML = "text/html; charset=utf-8";

const SAFE = { "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer" };
const UNLISTED = { ...SAFE, "Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow" };

function send(response: ServerResponse, status: number, headers: Record<string, string>, body: Buffer): true {
  response.writeHead(status, { ...headers, "Content-Length": String(body.length) });
  // Node omits the body for HEAD
  response.end(body);
  return true;
}

/** The files of the readers and of the guide, which are the same for every caller. */
const assets = new AssetSender(SAFE);

/**
 * Serves the API reference: the readers, the guide, the error pages and the document itself, all from this server (conventions §21). The caller
 * decides who may read it.
 * @returns a handler that answers its own fixed paths and returns false for any other
 */
export function docsHandler({ document, forms, events, title }: DocsOptions): DocsHandler {
  const json = {
    ...UNLISTED,
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Content-Type": JSON_TYPE,
  };
  const explain = errorPages(document, title);
  // Its operations are those of this document.
  const own = new AssetSender({ ...UNLISTED, "Cache-Control": "private, no-cache" });
  return (given, request, response) => {
    const path = given.replace(/\/$/, "");
    const page = READERS.get(path);
    const asset = READER_ASSETS.get(path);
    const isGuide = path === GUIDE || path.startsWith(`${GUIDE}/`);
    const isErrors = path === ERROR_PAGES || path.startsWith(`${ERROR_PAGES}/`);
    if (!page && !asset && !isErrors && !isGuide && path !== DOCUMENT && path !== EVENTS) return false;
    if (request.method !== "GET" && request.method !== "HEAD") {
      const refused = { error: { code: "method_not_allowed", message: "errors.server" } };
      return send(response, 405, { ...json, Allow: "GET, HEAD" }, Buffer.from(JSON.stringify(refused)));
    }
    if (asset) return assets.send(path, asset, request, response);
    if (path === EVENTS) return events().then((text) => send(response, 200, json, Buffer.from(text)));
    if (path === SEARCH) {
      const of = document();
      const search = { type: JSON_TYPE, load: () => guideSearch(of, searchedErrors()) };
      return own.send(path, search, request, response, of);
    }
    const site = { ...UNLISTED, "Content-Security-Policy": SITE_POLICY, "Content-Type": HTML };
    if (isErrors) {
      const { status, body, location } = explain(path.slice(ERROR_PAGES.length + 1));
      return send(response, status, location === undefined ? site : { ...site, Location: location }, Buffer.from(body));
    }
    if (isGuide) {
      const words = new URL(request.url ?? "", "http://guide").searchParams.get("q");
      const { status, body } = guidePage(path, words, { document, title });
      return send(response, status, site, Buffer.from(body));
    }
    if (!page) {
      const wanted = new URL(request.url ?? "", "http://document").searchParams.get("for");
      const form = DOCUMENT_FORMS.find((one) => one === wanted);
      if (wanted !== null && form === undefined) {
        const refused = { error: { code: "validation", message: "errors.validation", fields: { for: "errors.validation" } } };
        return send(response, 422, json, Buffer.from(JSON.stringify(refused)));
      }
      return send(response, 200, json, Buffer.from(form === undefined ? document() : forms[form]()));
    }
    const { policy, body } = readerPage(page, title, randomBytes(16).toString("base64"));
    return send(response, 200, { ...UNLISTED, "Content-Security-Policy": policy, "Content-Type": HTML }, Buffer.from(body));
  };
}

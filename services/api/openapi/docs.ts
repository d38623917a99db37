import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ERROR_PAGES, errorPages } from "./error-pages.ts";
import { GUIDE, guidePage } from "./guide.ts";
import { type Asset, DOCUMENT, READER_ASSETS, READERS, readerPage } from "./readers.ts";

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
const JSON_TYPE = "application/json; charset=utf-8";
const HTML = "text/html; charset=utf-8";

const ERROR_POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** As the error pages', but with the search form and the pictures of the guide. */
const GUIDE_POLICY = ERROR_POLICY.replace("form-action 'none'", "form-action 'self'").replace("img-src", "img-src 'self'");

const SAFE = { "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer" };
const UNLISTED = { ...SAFE, "Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow" };

function send(response: ServerResponse, status: number, headers: Record<string, string>, body: Buffer): true {
  response.writeHead(status, { ...headers, "Content-Length": String(body.length) });
  // Node omits the body for HEAD
  response.end(body);
  return true;
}

/** Asset files, read on first use and then cached. */
const loaded = new Map<string, Promise<{ bytes: Buffer; etag: string }>>();

function read(path: string, { load }: Asset) {
  const known = loaded.get(path);
  if (known) return known;
  const reading = Promise.resolve(load()).then((text) => {
    const bytes = typeof text === "string" ? Buffer.from(text) : text;
    return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url")}"` };
  });
  loaded.set(path, reading);
  // retry a failed read at the next request
  reading.catch(() => loaded.delete(path));
  return reading;
}

async function sendAsset(path: string, asset: Asset, request: IncomingMessage, response: ServerResponse): Promise<true> {
  const { bytes, etag } = await read(path, asset);
  const headers = { ...SAFE, "Cache-Control": "no-cache", ETag: etag };
  const known = (request.headers["if-none-match"] ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
  if (!known) return send(response, 200, { ...headers, "Content-Type": asset.type }, bytes);
  response.writeHead(304, headers).end();
  return true;
}

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
    if (asset) return sendAsset(path, asset, request, response);
    if (path === EVENTS) return events().then((text) => send(response, 200, json, Buffer.from(text)));
    if (isErrors) {
      const { status, body } = explain(path.slice(ERROR_PAGES.length + 1));
      return send(
        response,
        status,
        { ...UNLISTED, "Content-Security-Policy": ERROR_POLICY, "Content-Type": HTML },
        Buffer.from(body),
      );
    }
    if (isGuide) {
      const words = new URL(request.url ?? "", "http://guide").searchParams.get("q");
      const { status, body } = guidePage(path, words, { document, title });
      const headers = { ...UNLISTED, "Content-Security-Policy": GUIDE_POLICY, "Content-Type": HTML };
      return send(response, status, headers, Buffer.from(body));
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

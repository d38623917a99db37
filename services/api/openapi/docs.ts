import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { escapedHtml } from "../../../core/values/text.ts";
import { ERROR_PAGES, ERROR_STYLE, errorPages } from "./error-pages.ts";

export interface DocsOptions {
  /** The OpenAPI document as JSON text; called per request, so it can follow the live registry. */
  document: () => string;
  /** The catalogue of domain events as JSON text. */
  events: () => Promise<string>;
  title: string;
}

/** Answers a request if its path, without the query, belongs to the reference. */
type DocsHandler = (path: string, request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

interface Page {
  heading: string;
  styles: string[];
  scripts: string[];
  /** What the page may load beyond its own scripts and data. */
  policy: string[];
}

interface Asset {
  type: string;
  load: () => Promise<string> | string;
}

const DOCUMENT = "/api/openapi.json";
const EVENTS = "/api/events.json";
const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

const HTML = "text/html; charset=utf-8";

const PAGE_STYLE = "body { margin: 0; }\n";

const START_SWAGGER = `"use strict";
SwaggerUIBundle({
  url: "${DOCUMENT}",
  dom_id: "#reference",
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  persistAuthorization: false,
  showExtensions: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

const START_REDOC = `"use strict";
const text = 'system-ui, sans-serif';
Redoc.init(
  "${DOCUMENT}",
  {
    hideLoading: true,
    jsonSampleExpandLevel: 3,
    sanitize: true,
    showExtensions: ["x-permission", "x-licence"],
    theme: { typography: { fontFamily: text, headings: { fontFamily: text }, code: { fontFamily: 'ui-monospace, monospace' } } },
  },
  document.getElementById("reference"),
);
`;

/** Reads a file of an installed package, by its import specifier. */
const installed = (specifier: string) => readFile(new URL(import.meta.resolve(specifier)), "utf8");

/** Redoc loads its vendor's logo from a CDN and has no option to omit it. */
async function redocWithoutLogo(): Promise<string> {
  const transparent = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
  return (await installed("redoc/bundles/redoc.standalone.js")).replace(/https:\/\/cdn\.redoc\.ly\/[^"]*\.svg/g, transparent);
}

/**
 * Hashes of the two style elements of Redoc 2.5.4: an empty one, which it fills through the CSSOM, and one for its scroll bars. Another
 * version may need others; the browser's console names them.
 */
const REDOC_STYLES =
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='";

const PAGES = new Map<string, Page>(
  Object.entries({
    "/api/docs": {
      heading: "Swagger UI",
      styles: ["/api/docs/assets/swagger-ui.css", "/api/docs/assets/page.css"],
      scripts: ["/api/docs/assets/swagger-ui-bundle.js", "/api/docs/assets/start.js"],
      policy: ["style-src 'self'"],
    },
    "/api/redoc": {
      heading: "Redoc",
      styles: ["/api/redoc/assets/page.css"],
      scripts: ["/api/redoc/assets/redoc.standalone.js", "/api/redoc/assets/start.js"],
      // its search runs in a worker made from a blob
      policy: [`style-src 'self' ${REDOC_STYLES}`, "worker-src blob:"],
    },
  }),
);

const ASSETS = new Map<string, Asset>(
  Object.entries({
    "/api/docs/assets/swagger-ui.css": { type: STYLE, load: () => installed("swagger-ui-dist/swagger-ui.css") },
    "/api/docs/assets/errors.css": { type: STYLE, load: () => ERROR_STYLE },
    "/api/docs/assets/page.css": { type: STYLE, load: () => PAGE_STYLE },
    "/api/docs/assets/swagger-ui-bundle.js": { type: SCRIPT, load: () => installed("swagger-ui-dist/swagger-ui-bundle.js") },
    "/api/docs/assets/start.js": { type: SCRIPT, load: () => START_SWAGGER },
    "/api/redoc/assets/page.css": { type: STYLE, load: () => PAGE_STYLE },
    "/api/redoc/assets/redoc.standalone.js": { type: SCRIPT, load: redocWithoutLogo },
    "/api/redoc/assets/start.js": { type: SCRIPT, load: () => START_REDOC },
  }),
);

const ERROR_POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const policyOf = ({ policy }: Page) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    ...policy,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");

const SAFE = { "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer" };
const UNLISTED = { ...SAFE, "Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow" };

function html({ heading, styles, scripts }: Page, title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapedHtml(title)} · ${heading}</title>
<link rel="icon" href="data:,">
${styles.map((href) => `<link rel="stylesheet" href="${href}">`).join("\n")}
</head>
<body>
<div id="reference"></div>
${scripts.map((src) => `<script src="${src}"></script>`).join("\n")}
</body>
</html>
`;
}

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
    const bytes = Buffer.from(text);
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
 * Serves the API reference: Swagger UI, Redoc, the error pages and the document itself, all from this server (conventions §21). The caller
 * decides who may read it.
 * @returns a handler that answers its own fixed paths and returns false for any other
 */
export function docsHandler({ document, events, title }: DocsOptions): DocsHandler {
  const json = {
    ...UNLISTED,
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Content-Type": JSON_TYPE,
  };
  const explain = errorPages(document, title);
  return (given, request, response) => {
    const path = given.replace(/\/$/, "");
    const page = PAGES.get(path);
    const asset = ASSETS.get(path);
    const isErrors = path === ERROR_PAGES || path.startsWith(`${ERROR_PAGES}/`);
    if (!page && !asset && !isErrors && path !== DOCUMENT && path !== EVENTS) return false;
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
    if (!page) return send(response, 200, json, Buffer.from(document()));
    const headers = { ...UNLISTED, "Content-Security-Policy": policyOf(page), "Content-Type": HTML };
    return send(response, 200, headers, Buffer.from(html(page, title)));
  };
}

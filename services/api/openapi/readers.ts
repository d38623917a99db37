import { readFile } from "node:fs/promises";
import path from "node:path";
import { escapedHtml } from "../../../core/values/text.ts";
import { guidePictures } from "../guide/documents.ts";
import { SCRIPT_ADDRESS, STYLE_ADDRESS } from "../guide/shell.ts";
import { SITE_STYLE } from "../guide/style.ts";
import { PREPARE_SCALAR, scalarScript, startScalar } from "./scalar.ts";

/** A page that renders the OpenAPI document in the browser. */
export interface Reader {
  heading: string;
  styles: string[];
  scripts: string[];
  /** What the page may load beyond its own scripts and data. */
  policy: string[];
  /** The page names a nonce that allows its style elements; a new one per response. */
  hasNonce?: true;
}

/** A script, style sheet or picture. */
export interface Asset {
  type: string;
  load: () => Promise<string | Buffer> | string;
}

/** Address of the OpenAPI document. */
export const DOCUMENT = "/api/openapi.json";
/** Address of its form for the readers. */
const SHOWN = `${DOCUMENT}?for=reference`;
const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";

const PAGE_STYLE = "body { margin: 0; }\n";

const START_SWAGGER = `"use strict";
SwaggerUIBundle({
  url: "${SHOWN}",
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

/** Reads a file of an installed package, by its import specifier. */
const installed = (specifier: string) => readFile(new URL(import.meta.resolve(specifier)), "utf8");

/** The readers by address. */
export const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>(
  Object.entries({
    "/api/docs": {
      heading: "Swagger UI",
      styles: ["/api/docs/assets/swagger-ui.css", "/api/docs/assets/page.css"],
      scripts: ["/api/docs/assets/swagger-ui-bundle.js", "/api/docs/assets/start.js"],
      policy: ["style-src 'self'"],
    },
    "/api/redoc": {
      heading: "Scalar, classic",
      styles: ["/api/redoc/assets/page.css"],
      scripts: ["/api/redoc/assets/prepare.js", "/api/redoc/assets/scalar.js", "/api/redoc/assets/start.js"],
      policy: ["style-src 'self'"],
      hasNonce: true,
    },
    "/api/reference": {
      heading: "Scalar",
      styles: ["/api/reference/assets/page.css"],
      scripts: ["/api/reference/assets/prepare.js", "/api/reference/assets/scalar.js", "/api/reference/assets/start.js"],
      policy: ["style-src 'self'"],
      hasNonce: true,
    },
  }),
);

/** The scripts, style sheets and pictures of all readers and of the guide, by address. */
export const READER_ASSETS: ReadonlyMap<string, Asset> = new Map<string, Asset>(
  Object.entries({
    "/api/docs/assets/swagger-ui.css": { type: STYLE, load: () => installed("swagger-ui-dist/swagger-ui.css") },
    "/api/docs/assets/page.css": { type: STYLE, load: () => PAGE_STYLE },
    "/api/docs/assets/swagger-ui-bundle.js": { type: SCRIPT, load: () => installed("swagger-ui-dist/swagger-ui-bundle.js") },
    "/api/docs/assets/start.js": { type: SCRIPT, load: () => START_SWAGGER },
    "/api/redoc/assets/page.css": { type: STYLE, load: () => PAGE_STYLE },
    "/api/redoc/assets/prepare.js": { type: SCRIPT, load: () => PREPARE_SCALAR },
    "/api/redoc/assets/scalar.js": { type: SCRIPT, load: scalarScript },
    "/api/redoc/assets/start.js": { type: SCRIPT, load: () => startScalar(SHOWN, "classic") },
    [STYLE_ADDRESS]: { type: STYLE, load: () => SITE_STYLE },
    [SCRIPT_ADDRESS]: { type: SCRIPT, load: () => readFile(path.join(import.meta.dirname, "../guide/site.mjs")) },
    "/api/reference/assets/page.css": { type: STYLE, load: () => PAGE_STYLE },
    "/api/reference/assets/prepare.js": { type: SCRIPT, load: () => PREPARE_SCALAR },
    "/api/reference/assets/scalar.js": { type: SCRIPT, load: scalarScript },
    "/api/reference/assets/start.js": { type: SCRIPT, load: () => startScalar(SHOWN) },
    ...Object.fromEntries(guidePictures().map(([address, file]) => [address, { type: "image/png", load: () => readFile(file) }])),
  }),
);

const policyOf = ({ policy, hasNonce }: Reader, nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    ...policy.map((rule) => (hasNonce && rule.startsWith("style-src ") ? `${rule} 'nonce-${nonce}'` : rule)),
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");

/**
 * Renders the page of a reader.
 * @param nonce a value that no other response has, for readers that create style elements
 * @returns its content security policy and its HTML
 */
export function readerPage(reader: Reader, title: string, nonce: string): { policy: string; body: string } {
  const { heading, styles, scripts, hasNonce } = reader;
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${hasNonce ? `<meta property="csp-nonce" content="${nonce}">\n` : ""}<title>${escapedHtml(title)} · ${heading}</title>
<link rel="icon" href="data:,">
${styles.map((href) => `<link rel="stylesheet" href="${href}">`).join("\n")}
</head>
<body>
<div id="reference"></div>
${scripts.map((src) => `<script src="${src}"></script>`).join("\n")}
</body>
</html>
`;
  return { policy: policyOf(reader, nonce), body };
}

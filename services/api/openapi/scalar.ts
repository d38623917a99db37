interface Reply {
  header(): Reply;
  send(script: string): void;
}

interface Route {
  url: string;
  handler(request: object, reply: Reply): void;
}

type Plugin = (host: object, options: object, done: () => void) => void;

/**
 * The browser bundle of Scalar. Its own package (`@scalar/api-reference`) installs 310 MB of sources for a bundle of 5 MB. The Fastify
 * plugin carries the same bundle in 25 MB and serves it from one route, so this registers the plugin on a host that only reads that route.
 * @throws if the plugin has no route for its script
 */
export async function scalarScript(): Promise<string> {
  const { default: plugin } = (await import("@scalar/fastify-api-reference")) as unknown as { default: Plugin };
  const routes: Route[] = [];
  const host = { initialConfig: {}, hasPlugin: () => false, route: (route: Route) => routes.push(route) };
  plugin(host, { routePrefix: "/", configuration: { url: "/" } }, () => {});
  let script: string | undefined;
  const reply: Reply = {
    header: () => reply,
    send: (text) => {
      script = text;
    },
  };
  routes.find(({ url }) => url.endsWith(".js"))?.handler({}, reply);
  if (script === undefined) throw new Error("@scalar/fastify-api-reference serves no script");
  return script;
}

/**
 * Runs before Scalar, so that it works under a policy without `unsafe-inline` and `unsafe-eval`: style elements get the nonce of the page,
 * style attributes are set through the CSSOM, and its validator compiles nothing.
 */
export const PREPARE_SCALAR = `"use strict";
globalThis.__zod_globalConfig = { jitless: true };
{
  const nonce = document.querySelector('meta[property="csp-nonce"]').content;
  const { createElement } = Document.prototype;
  Document.prototype.createElement = function (...given) {
    const element = createElement.apply(this, given);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };
  const { setAttribute } = Element.prototype;
  Element.prototype.setAttribute = function (name, value) {
    if (name === "style" && this.style) this.style.cssText = value;
    else setAttribute.call(this, name, value);
  };
  const innerHtml = Object.getOwnPropertyDescriptor(Element.prototype, "innerHTML");
  Object.defineProperty(Element.prototype, "innerHTML", {
    ...innerHtml,
    set(markup) {
      // The count of lines, from which the style sheet draws the line numbers of a sample.
      innerHtml.set.call(this, String(markup ?? "").replace(/ style="(--line-count:[^"]*)"/g, ' data-lines="$1"'));
      for (const numbered of this.querySelectorAll("[data-lines]")) numbered.style.cssText = numbered.dataset.lines;
    },
  });
}
`;

/** What distinguishes the two pages: the classic one shows every operation below the other and keeps the addresses of operation ids. */
const LAYOUTS = {
  modern: "",
  classic: `
  layout: "classic",
  generateOperationSlug: ({ operationId }) => "operation/" + operationId,`,
};

/**
 * Starts Scalar. It contacts no other host: no proxy for requests, no fonts, no telemetry, no assistant. Keys stay in memory.
 * @param document address of the OpenAPI document
 */
export const startScalar = (document: string, layout: keyof typeof LAYOUTS = "modern"): string => `"use strict";
Scalar.createApiReference("#reference", {
  url: "${document}",${LAYOUTS[layout]}
  agent: { disabled: true },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  featuredClients: ["shell/curl", "js/fetch", "python/requests"],
  hideClientButton: true,
  hideModels: true,
  mcp: { disabled: true },
  persistAuth: false,
  showDeveloperTools: "never",
  showExtensions: ["x-permission", "x-licence"],
  telemetry: false,
  withDefaultFonts: false,
});
`;

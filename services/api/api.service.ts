import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Context, Service, ServiceSchema } from "moleculer";
import ApiGateway from "moleculer-web";
import { runtime } from "../../core/config/runtime.ts";
import type { HttpAnswer } from "../../core/request/context.ts";
import { Gateway } from "./gateway.ts";
import { MCP_PATH } from "./mcp/served-paths.ts";
import { ACTIONS, type WebRequest } from "./requests.ts";
import type { Route, ServedAlias } from "./routes.ts";

/** Longest wait for a request's head, in milliseconds. */
const LONGEST_HEAD = 60_000;
/** Extra milliseconds the server waits, so that the gateway times out first and answers. */
const AFTER_THE_GATEWAY = 1000;

/** moleculer-web's route of requests, with the hooks of `API_ROUTE`. */
interface WebRoute {
  onAfterCall(ctx: Context, route: WebRoute, request: WebRequest, response: ServerResponse, answer: HttpAnswer): HttpAnswer;
}

type ApiService = Service & {
  server: Server;
  gateway: Gateway;
  aliases: (ServedAlias & { route: WebRoute })[];
  parseQueryString(request: IncomingMessage): { url: string; query: URLSearchParams };
  aliasHandler(request: WebRequest, response: ServerResponse, alias: ServedAlias): Promise<unknown>;
  newContext(requestID: string): Context;
  addRoute(options: object): WebRoute;
  offer(routes: readonly Route[]): void;
  httpHandler(request: IncomingMessage, response: ServerResponse): Promise<void>;
  sendResponse(request: WebRequest, response: ServerResponse, answer: HttpAnswer): Promise<void>;
  sendError(request: WebRequest, response: ServerResponse, error: unknown): void;
};

type Methods = Record<string, (this: ApiService, ...parameters: unknown[]) => Promise<unknown>>;
const web = (ApiGateway as unknown as { methods: Methods }).methods as Required<Methods>;

/** Runs before moleculer-web's own start, which listens: Moleculer starts the last mixin first. */
const beforeListening = {
  async started(this: ApiService) {
    await this.gateway.prepare();
  },
};

/** The route of all actions. Its aliases are those of the live registry (`offer`). */
const API_ROUTE = {
  name: "api",
  path: ACTIONS,
  mappingPolicy: "restrict",
  // The actor's schema decides what is read of a body, after the caller is known.
  bodyParsers: false,
  mergeParams: false,
  logging: false,
  authentication: true,
  authorization: true,
  onBeforeCall(this: ApiService, _ctx: Context, _route: WebRoute, request: WebRequest) {
    this.gateway.requests.begin(request);
  },
  onAfterCall(_ctx: Context, _route: WebRoute, { call }: WebRequest, _response: ServerResponse, answer: HttpAnswer) {
    return call ? call.succeed(answer) : answer;
  },
};

/** A middleware of moleculer-web that serves some paths, and leaves others to the next. */
const serving = (serve: (service: ApiService, request: WebRequest, response: ServerResponse) => Promise<boolean>) =>
  function (this: ApiService, request: WebRequest, response: ServerResponse, next: () => void): void {
    request.served = serve(this, request, response).then(
      (isServed) => isServed || next(),
      (error: unknown) => this.sendError(request, response, error),
    );
  };
const mcp = serving(({ gateway }, request, response) => gateway.requests.serveMcp(request, response));
const pages = serving(({ gateway }, request, response) => gateway.requests.visit(request, response));

/** Routes of which middlewares serve every path. */
const SERVED = { aliases: {}, mappingPolicy: "restrict", bodyParsers: false, logging: false };

/** The HTTP front end: moleculer-web owns the server and the routes, `requests.ts` has the steps of a request. */
const api = {
  name: "api",
  mixins: [ApiGateway as unknown as ServiceSchema, beforeListening as unknown as ServiceSchema],
  settings: {
    routes: [
      { ...API_ROUTE, aliases: {} },
      { ...SERVED, name: "mcp", path: MCP_PATH, use: [mcp, pages] },
      { ...SERVED, name: "pages", path: "/", use: [pages] },
    ],
    logRouteRegistration: false,
    // The router ranks the paths.
    optimizeOrder: false,
    // Pages have no `X-Request-Id`, and the API writes its own.
    rootCallOptions(options: { requestID: string }) {
      options.requestID = "";
    },
    onError(this: ApiService, request: WebRequest, response: ServerResponse, error: unknown) {
      this.gateway.requests.refuse(request, response, error);
    },
  },
  actions: {
    // Operators read it in the console; it is no route of the API.
    listAliases: { rest: null, visibility: "public" },
    // Only the live registry changes the routes.
    addRoute: false,
    removeRoute: false,
  },

  created(this: ApiService) {
    const { config } = runtime();
    Object.assign(this.settings, { port: config.httpPort, ip: config.httpAddress });
    this.gateway = new Gateway(this.broker, this.logger, (routes) => this.offer(routes));
  },

  async started(this: ApiService) {
    await this.gateway.start(this.server);
  },

  async stopped(this: ApiService) {
    await this.gateway.stop();
  },

  events: {
    async "$services.changed"(this: ApiService) {
      if (this.server.listening) await this.gateway.refresh();
    },
  },

  methods: {
    /** Creates the server. The gateway limits the wait for a body it reads; these limits cover heads and unread remainders. */
    createServer(this: ApiService) {
      const { requestTimeout: most } = runtime().config;
      const bounds = { requestTimeout: most + AFTER_THE_GATEWAY, headersTimeout: Math.min(most, LONGEST_HEAD) };
      const connectionsCheckingInterval = Math.min(Math.ceil(most / 4), AFTER_THE_GATEWAY);
      this.server = createServer({ ...bounds, connectionsCheckingInterval }, this.httpHandler);
    },

    /** Serves the routes of actions, in place of those before. */
    offer(this: ApiService, routes: readonly Route[]) {
      const byAlias = new Map(routes.map((route) => [`${route.declaration.method} ${route.declaration.urlPath}`, route]));
      const aliases = Object.fromEntries([...byAlias].map(([alias, { declaration }]) => [alias, declaration.name]));
      const added = this.addRoute({ ...API_ROUTE, aliases });
      for (const alias of this.aliases) {
        const route = alias.route === added && byAlias.get(`${alias.method} /${alias.path}`);
        if (route) route.alias = Object.assign(alias, { served: route });
      }
    },

    /**
     * Serves a request. For an action it goes to the alias at once: on its way there moleculer-web would parse, merge and wrap what this
     * route leaves as it is (docs/decisions/moleculer-web-runs-the-hooks.md). Errors end here.
     */
    async httpHandler(this: ApiService, request: WebRequest, response: ServerResponse): Promise<void> {
      await this.gateway.serveHttp(request, response, async () => {
        const { url, query } = this.parseQueryString(request);
        if (this.gateway.requests.live(request, response, url)) return;
        if (!url.startsWith(`${ACTIONS}/`)) return void (await web["httpHandler"]?.call(this, request, response));
        try {
          const found = this.gateway.requests.resolve(request, url);
          if (!found) throw this.gateway.requests.unrouted(request, url);
          const { alias, params } = found;
          request.query = query;
          request.$ctx = this.newContext(request.trace.requestId);
          request.$route = alias.route;
          this.gateway.requests.enter(request, alias, params);
          await this.aliasHandler(request, response, alias);
        } catch (error) {
          this.sendError(request, response, error);
        }
      });
    },

    /** The context of the hooks; the action gets its own, without what they leave in it. */
    newContext(this: ApiService, requestID: string): Context {
      return this.broker.ContextFactory.create(this.broker, null as never, null as never, { requestID });
    },

    /** Splits the target; the action's schema parses the query. */
    parseQueryString(this: ApiService, request: IncomingMessage) {
      return this.gateway.requests.target(request);
    },

    /** Only the paths of the API have aliases, and those are found before moleculer-web looks. */
    resolveAlias: () => false,

    /** Returns the account of the caller, which moleculer-web puts into `ctx.meta.user`. */
    async authenticate(_ctx: Context, _route: WebRoute, { call }: WebRequest): Promise<string | null> {
      return (await call?.authenticate())?.accountId ?? null;
    },

    async authorize(_ctx: Context, _route: WebRoute, { call }: WebRequest): Promise<void> {
      await call?.authorize();
    },

    /** Calls the action with the request as it came, and again when the caller's rights have changed or the node has gone. */
    async callAction(this: ApiService, route: WebRoute, _name: string, request: WebRequest, response: ServerResponse) {
      const answer = await this.gateway.requests.answer(request);
      const done = route.onAfterCall.call(this, request.$ctx, route, request, response, answer);
      await this.sendResponse(request, response, done);
      return true;
    },

    async sendResponse(this: ApiService, request: WebRequest, response: ServerResponse, answer: HttpAnswer): Promise<void> {
      await this.gateway.requests.send(request, response, answer);
    },

    send404(this: ApiService, request: WebRequest, response: ServerResponse) {
      this.sendError(request, response, this.gateway.requests.unrouted(request, request.parsedUrl));
    },

    /** Leaves the log to `onError`, which knows what is expected. */
    errorHandler(this: ApiService, request: WebRequest, response: ServerResponse, error: unknown) {
      this.sendError(request, response, error);
    },
  },
};

export default api as unknown as ServiceSchema;

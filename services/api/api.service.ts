import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Service, ServiceSchema } from "moleculer";
import ApiGateway from "moleculer-web";
import { runtime } from "../../core/config/runtime.ts";
import { Gateway } from "./gateway.ts";

/** Longest wait for a request's head, in milliseconds. */
const LONGEST_HEAD = 60_000;
/** Extra milliseconds the server waits, so that the gateway times out first and answers. */
const AFTER_THE_GATEWAY = 1000;

type ApiService = Service & { server: Server; gateway: Gateway };

/** Runs before moleculer-web's own start, which listens: Moleculer starts the last mixin first. */
const beforeListening = {
  async started(this: ApiService) {
    await this.gateway.prepare();
  },
};

/** The HTTP front end: moleculer-web owns the server, the gateway handles each request. */
const api = {
  name: "api",
  mixins: [ApiGateway as unknown as ServiceSchema, beforeListening as unknown as ServiceSchema],
  settings: { routes: [], logRouteRegistration: false },
  // moleculer-web's own actions manage its static routes; the live registry replaces them.
  actions: { rest: false, listAliases: false, addRoute: false, removeRoute: false },

  created(this: ApiService) {
    const { config } = runtime();
    Object.assign(this.settings, { port: config.httpPort, ip: config.httpAddress });
    this.gateway = new Gateway(this.broker, this.logger);
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
    createServer(this: ApiService & { httpHandler(request: IncomingMessage, response: ServerResponse): void }) {
      const { requestTimeout: most } = runtime().config;
      const bounds = { requestTimeout: most + AFTER_THE_GATEWAY, headersTimeout: Math.min(most, LONGEST_HEAD) };
      const connectionsCheckingInterval = Math.min(Math.ceil(most / 4), AFTER_THE_GATEWAY);
      this.server = createServer({ ...bounds, connectionsCheckingInterval }, this.httpHandler);
    },

    /** Handles every HTTP request; replaces moleculer-web's handler, whose routing and parsing cost more than the request itself. */
    async httpHandler(this: ApiService, request: IncomingMessage, response: ServerResponse): Promise<void> {
      await this.gateway.serveHttp(request, response);
    },
  },
};

export default api as unknown as ServiceSchema;

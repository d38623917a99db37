import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Service, ServiceSchema } from "moleculer";
import ApiGateway from "moleculer-web";
import { runtime } from "../../core/config/runtime.ts";
import { Gateway } from "./gateway.ts";

/** Longest wait for the head of a request, in milliseconds. */
const LONGEST_HEAD = 60_000;
/** How much longer than the gateway the server waits, so that the gateway is the one to answer. */
const AFTER_THE_GATEWAY = 1000;

type ApiService = Service & { server: Server; gateway: Gateway };

/** The HTTP front: moleculer-web owns the server, the gateway what happens to a request. */
const api = {
  name: "api",
  mixins: [ApiGateway as unknown as ServiceSchema],
  settings: { routes: [], logRouteRegistration: false },
  // moleculer-web's own actions are about its routes, which the live registry replaces.
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
    /** The gateway bounds the wait for a body that is wanted; these bounds are for heads, and for what is left after an answer. */
    createServer(this: ApiService & { httpHandler(request: IncomingMessage, response: ServerResponse): void }) {
      const { requestTimeout: most } = runtime().config;
      const bounds = { requestTimeout: most + AFTER_THE_GATEWAY, headersTimeout: Math.min(most, LONGEST_HEAD) };
      const connectionsCheckingInterval = Math.min(Math.ceil(most / 4), AFTER_THE_GATEWAY);
      this.server = createServer({ ...bounds, connectionsCheckingInterval }, this.httpHandler);
    },

    /** Entry of every HTTP request; replaces moleculer-web's, whose route search and parsing cost more than the request itself. */
    async httpHandler(this: ApiService, request: IncomingMessage, response: ServerResponse): Promise<void> {
      await this.gateway.serveHttp(request, response);
    },
  },
};

export default api as unknown as ServiceSchema;

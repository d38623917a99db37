import {
  type CallToolRequest,
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

/** The tools of one request, bound to its caller. */
export interface Tools {
  list(): Tool[];
  has(name: string): boolean;
  call(params: CallToolRequest["params"]): Promise<CallToolResult>;
}

/** Server identity sent to clients. */
export interface About {
  name: string;
  title: string;
  version: string;
  instructions: string;
}

/** One message of a client. */
interface Message {
  request: Request;
  body: object;
  /** Whether to answer with an event stream. */
  streams: boolean;
  tools: Tools;
}

/** Replaces the package's validator, which it would build for every request: no tool asks its client for input. */
const NO_VALIDATOR = {
  getValidator() {
    throw new Error("the server never requests input from a client");
  },
};

/**
 * The Model Context Protocol over Streamable HTTP, without sessions: any node serves any message. The package handles the revisions:
 * 2026-07-28 and those of 2025.
 */
export class Protocol {
  readonly #about: About;
  readonly #json: McpHttpHandler;
  readonly #events: McpHttpHandler;
  /** The tools of requests in progress. */
  readonly #under = new WeakMap<Request, Tools>();
  readonly #failed: (error: Error) => void;

  constructor(about: About, failed: (error: Error) => void) {
    this.#about = about;
    this.#failed = failed;
    const make = ({ requestInfo }: { requestInfo?: Request }) => this.#server(this.#under.get(requestInfo as Request) as Tools);
    const shared = { legacy: "reject", onerror: failed } as const;
    this.#json = createMcpHandler(make, shared);
    this.#events = createMcpHandler(make, { ...shared, responseMode: "sse" });
  }

  async answer({ request, body, streams, tools }: Message): Promise<Response> {
    if (await isLegacyRequest(request, body)) {
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !streams });
      await this.#server(tools).connect(transport);
      return transport.handleRequest(request, { parsedBody: body });
    }
    this.#under.set(request, tools);
    return (streams ? this.#events : this.#json).fetch(request, { parsedBody: body });
  }

  #server(tools: Tools): Server {
    const { instructions, ...identity } = this.#about;
    const server = new Server(identity, { capabilities: { tools: {} }, instructions, jsonSchemaValidator: NO_VALIDATOR });
    server.onerror = this.#failed;
    server.setRequestHandler("tools/list", () => ({ tools: tools.list() }));
    server.setRequestHandler("tools/call", ({ params }) => {
      if (!tools.has(params.name)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown tool");
      return tools.call(params);
    });
    return server;
  }
}

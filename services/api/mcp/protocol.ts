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

/** What the tools of one request are and do, for the caller whose request it is. */
export interface Tools {
  list(): Tool[];
  has(name: string): boolean;
  call(params: CallToolRequest["params"]): Promise<CallToolResult>;
}

/** Who serves: told to clients. */
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
  /** Whether it is answered by a stream of events, where JSON would do. */
  streams: boolean;
  tools: Tools;
}

/** No tool here asks its client for input, so nothing is ever validated; the package's own would be made for every request. */
const NO_VALIDATOR = {
  getValidator() {
    throw new Error("no client is asked for input");
  },
};

/**
 * The Model Context Protocol over Streamable HTTP, without sessions: each message is served by itself, on any node. The revision of
 * 2026-07-28 and those of 2025 are the package's matter.
 */
export class Protocol {
  readonly #about: About;
  readonly #json: McpHttpHandler;
  readonly #events: McpHttpHandler;
  /** The tools of the requests under way. */
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

  /** Answers one message. */
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

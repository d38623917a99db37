import {
  type CallToolRequest,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createMcpHandler,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  isLegacyRequest,
  type McpHttpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { MessageRefusal, Offer } from "./offer.ts";

/** Key of the one question that a call can put to a person. */
const CONFIRM = "confirm";
/** The result of a call that the person did not agree to. */
const DECLINED: CallToolResult = {
  content: [{ type: "text", text: "The person did not agree: nothing was sent or changed." }],
  isError: true,
};

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
  offer: Offer;
}

/** Replaces the package's validator, which it would build for every request: the only question has an empty form. */
const NO_VALIDATOR = {
  getValidator() {
    throw new Error("the server validates no input of a client");
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
  /** What the callers of requests in progress are offered. */
  readonly #under = new WeakMap<Request, Offer>();
  readonly #failed: (error: Error) => void;

  constructor(about: About, failed: (error: Error) => void) {
    this.#about = about;
    this.#failed = failed;
    const make = ({ requestInfo }: { requestInfo?: Request }) => this.#server(this.#under.get(requestInfo as Request) as Offer);
    const shared = { legacy: "reject", onerror: failed } as const;
    this.#json = createMcpHandler(make, shared);
    this.#events = createMcpHandler(make, { ...shared, responseMode: "sse" });
  }

  async answer({ request, body, streams, offer }: Message): Promise<Response> {
    if (await isLegacyRequest(request, body)) {
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !streams });
      await this.#server(offer).connect(transport);
      return transport.handleRequest(request, { parsedBody: body });
    }
    this.#under.set(request, offer);
    return (streams ? this.#events : this.#json).fetch(request, { parsedBody: body });
  }

  #server(offer: Offer): Server {
    const { instructions, ...identity } = this.#about;
    const capabilities = { tools: {}, resources: {}, prompts: {} };
    const server = new Server(identity, { capabilities, instructions, jsonSchemaValidator: NO_VALIDATOR });
    server.onerror = this.#failed;
    server.setRequestHandler("tools/list", () => ({ tools: offer.tools() }));
    server.setRequestHandler("tools/call", ({ params }, context) => called(offer, params, context));
    server.setRequestHandler("resources/list", () => ({ resources: offer.resources() }));
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: offer.templates() }));
    server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
      const text = textOrThrow(await offer.read(uri));
      return { contents: [{ uri, mimeType: "application/json", text }] };
    });
    server.setRequestHandler("prompts/list", () => ({ prompts: offer.prompts() }));
    server.setRequestHandler("prompts/get", ({ params: { name, arguments: given } }) => {
      const text = textOrThrow(offer.prompt(name, given));
      return { messages: [{ role: "user", content: { type: "text", text } }] };
    });
    return server;
  }
}

/** @throws ProtocolError for a refusal */
function textOrThrow(answer: string | MessageRefusal): string {
  if (typeof answer === "string") return answer;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, answer.message, answer.data);
}

/**
 * The result of a tool call. A client that can put questions to its person (2026-07-28, `elicitation`) gets one first for what leaves the
 * organisation, and sends the call again with the answer.
 */
async function called(
  offer: Offer,
  { name, arguments: given }: CallToolRequest["params"],
  { mcpReq }: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  if (!offer.has(name)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown tool");
  const capabilities = (mcpReq.envelope as Record<string, ClientCapabilities> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  const canAsk = capabilities?.elicitation !== undefined;
  const message = canAsk ? offer.question(name, given) : null;
  if (message === null) return offer.call(name, given);
  const response = inputResponse(mcpReq.inputResponses, CONFIRM);
  if (response.kind === "elicit") return response.action === "accept" ? offer.call(name, given) : DECLINED;
  const asked = inputRequired.elicit({ mode: "form", message, requestedSchema: { type: "object", properties: {} } });
  return inputRequired({ inputRequests: { [CONFIRM]: asked } });
}

import http from "node:http";
import { Readable } from "node:stream";
import { type CallToolResult, Client, type FetchLike, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** Protocol revisions that clients use: the last one with a handshake, and the one without. */
export const REVISIONS = { "2025-11-25": "legacy", "2026-07-28": "auto" } as const;

/** A `fetch` that resolves every host of the tests to this machine. */
const toPort =
  (port: number, host: string): FetchLike =>
  (target, { method = "GET", headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const all = { ...Object.fromEntries(new Headers(headers)), Host: host };
      const { pathname, search } = new URL(target);
      const options = { port, host: "127.0.0.1", method, path: pathname + search, headers: all, ...(signal && { signal }) };
      const request = http.request(options, (response) => {
        const { statusCode: status = 0 } = response;
        const isEmpty = status === 202 || status === 204;
        if (isEmpty) response.resume();
        const stream = isEmpty ? null : (Readable.toWeb(response) as ReadableStream);
        const pairs = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as [string, string]);
        resolve(new Response(stream, { status, headers: pairs }));
      });
      request.on("error", reject);
      request.end(body as string | undefined);
    });

/** How a client connects. */
interface Connection {
  host: string;
  key: string;
  revision?: keyof typeof REVISIONS;
  /** Of the endpoint, as `/mcp/work`. */
  path?: string;
  /** Answers the questions that the service puts to the client's person; without it the client says that it cannot ask. */
  answer?: (message: string) => "accept" | "decline" | "cancel";
}

/** Connects the official client with a key. */
export async function mcpClient(
  port: number,
  { host, key, revision = "2026-07-28", path = "/mcp", answer }: Connection,
): Promise<Client> {
  const capabilities = answer ? { elicitation: {} } : {};
  const client = new Client({ name: "tests", version: "1" }, { versionNegotiation: { mode: REVISIONS[revision] }, capabilities });
  if (answer)
    client.setRequestHandler("elicitation/create", ({ params: { message } }) => {
      const action = answer(message);
      return action === "accept" ? { action, content: {} } : { action };
    });
  const transport = new StreamableHTTPClientTransport(new URL(`http://${host}:${port}${path}`), {
    fetch: toPort(port, host),
    requestInit: { headers: { "X-API-Key": key } },
  });
  await client.connect(transport);
  return client;
}

/** The texts of a result. */
export const textsOf = ({ content }: Pick<CallToolResult, "content">): string[] =>
  content.map((part) => (part.type === "text" ? part.text : ""));

/** A tool's result: the last text is the records, or the service's message if there are none. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export const given = (result: Pick<CallToolResult, "content">): any => JSON.parse(textsOf(result).at(-1) as string);

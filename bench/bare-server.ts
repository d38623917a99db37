import { createHash } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";

// What the bare servers of the comparisons share: keys, bodies and answers by hand.

export const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The organisation of a request by its API key. @param keys organisations by the digest of their key */
export const organisationFor = (keys: ReadonlyMap<string, string>, { headers }: http.IncomingMessage): string | undefined =>
  keys.get(digest((headers["x-api-key"] as string) ?? ""));

/** The JSON body of a request. */
export async function jsonBody(request: http.IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

/**
 * Serves answers as JSON, and prints a line of facts once it listens.
 * @param answer status and body of a request
 * @param facts more facts than the port
 */
export function serve(
  answer: (request: http.IncomingMessage) => Promise<[status: number, body: unknown]>,
  port = 0,
  facts: object = {},
): void {
  const server = http.createServer(async (request, response) => {
    const [status, value] = await answer(request).catch((error): [number, unknown] => {
      console.error(error);
      return [500, { error: { code: "server_error" } }];
    });
    const body = Buffer.from(JSON.stringify(value));
    response.writeHead(status, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
  });
  server.listen(port, "127.0.0.1", () => {
    process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port, ...facts })}\n`);
  });
}

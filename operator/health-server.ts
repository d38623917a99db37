import { createServer, type ServerResponse } from "node:http";
import { LIVE, READY, type Readiness, readinessOf } from "../core/health/readiness.ts";

/** Where a server of probes listens. */
interface Address {
  port: number;
  host: string;
}

function answer(response: ServerResponse, status: number, body: object): void {
  const retry = status === 503 ? { "Retry-After": "1" } : {};
  const headers = { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store", ...retry };
  response.writeHead(status, { ...headers, Connection: "close" });
  response.end(JSON.stringify(body));
}

/**
 * Serves the two probes for a node without a gateway, or while its gateway does not listen: `/health/live` is 200, `/health/ready` says what
 * `ready` does.
 * @param elsewhere answers every other path, and other methods than GET and HEAD
 * @returns closes the server with its connections
 * @throws the error of the port, with `code`
 */
export async function serveProbes(
  { port, host }: Address,
  ready: () => Promise<Readiness>,
  elsewhere: Readiness | { status: 404; body: object } = { status: 404, body: {} },
): Promise<() => Promise<void>> {
  const server = createServer(async ({ method = "GET", url = "/" }, response) => {
    const path = /^(GET|HEAD)$/.test(method) ? url.split("?")[0] : undefined;
    if (path === LIVE) return answer(response, 200, { status: "ok" });
    const { status, body } = path === READY ? await ready().catch(() => readinessOf([], false)) : elsewhere;
    answer(response, status, body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}

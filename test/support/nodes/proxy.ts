import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** A proxy in front of nodes. */
export interface RunningProxy {
  protocol: "http:" | "https:";
  port: number;
  stop(): Promise<unknown>;
}

interface Upstream {
  host: string;
  port: number;
}

/** Milliseconds between health checks of a node. */
const INTERVAL = 250;

/** Longest answer of a health check; a node answers within half a second. */
const PATIENCE = 2000;

/** The status of a node's `/health/ready`; 0 if it does not answer. */
export const readiness = ({ host, port }: Upstream): Promise<number> =>
  new Promise((resolve) => {
    const request = http.get({ host, port, path: "/health/ready", agent: false, timeout: PATIENCE }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    });
    request.once("timeout", () => request.destroy(new Error("no answer"))).once("error", () => resolve(0));
  });

/**
 * Starts a proxy that does what `docs/nodes.md` requires and nothing else: it sets both headers, sends calls to ready nodes in turn, and
 * repeats none.
 * @param address from which it calls the nodes
 */
export async function startProxy(upstreams: readonly Upstream[], address: string): Promise<RunningProxy> {
  const agent = new http.Agent({ keepAlive: true });
  let ready: Upstream[] = [];
  let turn = 0;
  let stopped = false;
  const look = async () => {
    const statuses = await Promise.all(upstreams.map(readiness));
    ready = upstreams.filter((_, at) => statuses[at] === 200);
  };
  const server = http.createServer((request, response) => {
    const node = ready[turn++ % ready.length];
    if (!node) return void response.writeHead(502).end();
    const headers = {
      ...request.headers,
      "x-forwarded-host": request.headers.host,
      "x-forwarded-for": request.socket.remoteAddress,
    };
    const { method, url: path } = request;
    const forwarded = http.request({ ...node, method, path, headers, agent, localAddress: address }, (answer) => {
      // The connection to the caller is the proxy's own.
      const { connection: _, "keep-alive": __, ...given } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, given);
      answer.pipe(response);
    });
    forwarded.once("error", () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    request.pipe(forwarded);
  });
  await look();
  void (async () => {
    while (!stopped) await delay(INTERVAL).then(look);
  })();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    protocol: "http:",
    port: (server.address() as AddressInfo).port,
    async stop() {
      stopped = true;
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface Visit {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** The caller's address. */
  from?: string;
}

export interface Visited {
  /** 0 if the connection broke. */
  status: number;
  headers: http.IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

/** Calls a host name at an address, on a connection of its own; certificates are not checked. */
export const visit = (
  { protocol = "http:", address = "127.0.0.1", port }: { protocol?: string; address?: string; port: number },
  host: string,
  path: string,
  { method = "GET", headers = {}, body, from = "127.0.0.77" }: Visit = {},
): Promise<Visited> =>
  new Promise((resolve) => {
    const sent = { Host: host, ...(body !== undefined && { "Content-Length": String(Buffer.byteLength(body)) }), ...headers };
    const options = { host: address, port, path, method, headers: sent, localAddress: from, agent: false as const };
    const answered = (response: http.IncomingMessage) => {
      let text = "";
      response
        .setEncoding("utf8")
        .on("data", (part: string) => (text += part))
        .once("end", () => {
          const isJson = /json/.test(response.headers["content-type"] ?? "");
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: isJson ? JSON.parse(text) : text });
        })
        .once("error", failed);
    };
    const failed = (error: Error) => resolve({ status: 0, headers: {}, body: error.message });
    const request =
      protocol === "https:"
        ? https.request({ ...options, servername: host, rejectUnauthorized: false }, answered)
        : http.request(options, answered);
    request.once("error", failed).end(body);
  });

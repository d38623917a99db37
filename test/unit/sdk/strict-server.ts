import http from "node:http";
import type { AddressInfo } from "node:net";

/** What a request had. */
export interface Received {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** One answer of the script; `cut` breaks the connection instead. */
export type Scripted = { status: number; headers?: Record<string, string>; body?: unknown } | "cut" | "silent";

/** A server that answers by a script, one entry a request, and refuses more than it has. */
export class StrictServer {
  readonly received: Received[] = [];
  readonly #script: Scripted[];
  readonly #server: http.Server;
  constructor(script: Scripted[]) {
    this.#script = [...script];
    this.#server = http.createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      this.received.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
      const next = this.#script.shift() ?? { status: 599, body: { error: { code: "not_scripted", message: "not scripted" } } };
      if (next === "silent") return;
      if (next === "cut") return void request.socket.destroy();
      const text = typeof next.body === "string" ? next.body : next.body === undefined ? "" : JSON.stringify(next.body);
      response.writeHead(next.status, { "content-type": "application/json", "x-request-id": "r-1", ...next.headers }).end(text);
    });
  }
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => void this.#server.close(() => resolve()));
  }
  /** Answers of the script that were not asked for. */
  get left(): number {
    return this.#script.length;
  }
}

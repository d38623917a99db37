import http from "node:http";
import { publishClock } from "./cluster/shared-clock.ts";
import { compareAnswer } from "./run/answered.ts";
import { requireNoProse } from "./run/prose.ts";
import { noteAnswer } from "./run/seen.ts";

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
  bytes: Buffer;
  /** SQL statements the call took on the node that responded. */
  statements: number;
  /** The parsed body; undefined if empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

export interface Call {
  /** Key or session cookie; without either the call is anonymous. */
  key?: string;
  cookie?: string;
  host?: string;
  headers?: Record<string, string>;
  /** Sent as JSON unless it is text or bytes. */
  body?: unknown;
}

/** The gateways that take the calls for a port in turn. */
const gateways = new Map<number, readonly number[]>();
let turn = 0;

/** Sends the calls for a port to these in turn. */
export const takeTurns = (port: number, ports: readonly number[]): void => void gateways.set(port, ports);
/** The port for the next call. */
function inTurn(port: number): number {
  const ports = gateways.get(port);
  return ports?.[turn++ % ports.length] ?? port;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

/** Sends one HTTP request with a Host header; `path` is relative to `/api/v1` unless it starts with `//`. */
export function send(
  port: number,
  method: string,
  path: string,
  { key, cookie, host, headers = {}, body }: Call = {},
): Promise<Answer> {
  const raw = body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const all: Record<string, string> = {
    ...(host !== undefined && { Host: host }),
    ...(key !== undefined && { "X-API-Key": key }),
    ...(cookie !== undefined && { Cookie: cookie }),
    ...(raw !== undefined && { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(raw as string)) }),
    ...headers,
  };
  publishClock();
  const at = inTurn(port);
  return new Promise((resolve, reject) => {
    const target = path.startsWith("//") ? path.slice(1) : `/api/v1${path}`;
    const request = http.request({ port: at, host: "127.0.0.1", method, path: target, headers: all, agent }, (response) => {
      const parts: Buffer[] = [];
      const answer = () => {
        const bytes = Buffer.concat(parts);
        const text = bytes.toString();
        const isJson = /json/.test(response.headers["content-type"] ?? "");
        const status = response.statusCode ?? 0;
        const answered = isJson && text ? JSON.parse(text) : undefined;
        noteAnswer(status, answered);
        try {
          if (!path.startsWith("//")) compareAnswer(port, method, path, status, answered);
          requireNoProse(method, path, status, answered);
        } catch (error) {
          reject(error);
          return;
        }
        resolve({
          status,
          headers: response.headers,
          text,
          bytes,
          statements: Number(response.headers["x-statements"]),
          body: answered,
        });
      };
      response.on("error", reject);
      // An event stream stays open as long as the caller wants, so return only its head.
      if (method === "GET" && response.headers["content-type"] === "text/event-stream") {
        answer();
        request.destroy();
        return;
      }
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", answer);
    });
    request.on("error", reject);
    request.end(raw);
  });
}

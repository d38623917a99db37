import http from "node:http";
import type { Call } from "../http.ts";
import { noteAnswer } from "../run/seen.ts";

/** One event as received. */
export interface Received {
  event: string;
  id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of every shape
  data: any;
}

/** An open event stream, or the refusal received instead. */
export interface Stream {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** Events received so far. */
  events: Received[];
  /** Comments received so far. */
  comments: number;
  /** Waits for this many events in total. @throws Error if the stream ends, or half a minute passes, before */
  upTo(count: number): Promise<Received[]>;
  /** All events, once the stream has ended. */
  whole: Promise<Received[]>;
  /** The body, if it is not a stream. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  body(): any;
  pause(): void;
  resume(): void;
  /** Closes the connection. */
  close(): void;
}

const PATIENCE = 120_000;

function received(block: string): Received | null {
  const fields = new Map(block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
  const event = fields.get("event");
  if (event === undefined) return null;
  const id = fields.get("id");
  return { event, ...(id !== undefined && { id }), data: JSON.parse(fields.get("data") ?? "null") };
}

/** Opens a stream; resolves once its head arrives. `path` is relative to `/api/v1`. */
export function openStream(port: number, method: string, path: string, call: Call = {}): Promise<Stream> {
  const { key, cookie, host, headers = {}, body } = call;
  const raw = body === undefined ? undefined : JSON.stringify(body);
  const all = {
    ...(host !== undefined && { Host: host }),
    ...(key !== undefined && { "X-API-Key": key }),
    ...(cookie !== undefined && { Cookie: cookie }),
    ...(raw !== undefined && { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(raw)) }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const request = http.request({ port, host: "127.0.0.1", method, path: `/api/v1${path}`, headers: all, agent: false });
    request.on("error", reject);
    request.on("response", (response) => {
      let [text, rest, onNews] = ["", "", () => {}];
      const stream: Stream = {
        status: response.statusCode ?? 0,
        headers: response.headers,
        events: [],
        comments: 0,
        upTo: (count) =>
          new Promise((found, missed) => {
            const late = setTimeout(() => missed(new Error(`${stream.events.length} of ${count} events came`)), PATIENCE);
            onNews = () => {
              if (stream.events.length < count && !response.closed) return;
              clearTimeout(late);
              if (stream.events.length >= count) found(stream.events);
              else missed(new Error(`ended after ${stream.events.length} of ${count} events`));
            };
            onNews();
          }),
        whole: new Promise((done) => {
          response.on("close", () => {
            onNews();
            done(stream.events);
          });
        }),
        body() {
          const answered = JSON.parse(text);
          noteAnswer(stream.status, answered);
          return answered;
        },
        pause: () => void response.pause(),
        resume: () => void response.resume(),
        close: () => void request.destroy(),
      };
      response.setEncoding("utf8").on("data", (part: string) => {
        if (stream.status !== 200) {
          text += part;
          return;
        }
        const blocks = (rest + part).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) {
          const event = received(block);
          if (event) stream.events.push(event);
          else stream.comments += 1;
        }
        onNews();
      });
      response.on("error", () => {});
      resolve(stream);
    });
    request.end(raw);
  });
}

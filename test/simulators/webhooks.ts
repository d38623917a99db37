import http from "node:http";

/** A message a provider pushes. */
export interface Push {
  path: string;
  headers?: Record<string, string>;
  body: string;
}

/** How a provider delivers its messages. */
export interface Delivery {
  /** How often each message is sent. Default 1. */
  repeat?: number;
  /** Seed of a random order; the same seed repeats a failure. */
  shuffle?: number;
  /** Messages in flight at once. Default 1. */
  atOnce?: number;
}

/** Pseudo-random numbers from 0 to 1 (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Shuffles rows in an order that depends only on the seed. */
export function shuffled<T>(rows: readonly T[], seed: number): T[] {
  const next = random(seed);
  return rows
    .map((row) => ({ row, at: next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ row }) => row);
}

function post({ port, host }: { port: number; host: string }, { path, headers, body }: Push): Promise<number> {
  return new Promise((resolve, reject) => {
    const all = { Host: host, "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(body)), ...headers };
    const request = http.request({ host: "127.0.0.1", port, method: "POST", path, headers: all }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    });
    request.on("error", reject).end(body);
  });
}

/**
 * Pushes messages to the service like careless providers: twice, late and reordered.
 * @returns the status of each delivery, in the order sent
 */
export async function pushAll(
  service: { port: number; host: string },
  messages: readonly Push[],
  { repeat = 1, shuffle, atOnce = 1 }: Delivery = {},
): Promise<number[]> {
  const every = Array.from({ length: repeat }, () => messages).flat();
  const line = shuffle === undefined ? every : shuffled(every, shuffle);
  const statuses: number[] = [];
  for (let at = 0; at < line.length; at += atOnce)
    statuses.push(...(await Promise.all(line.slice(at, at + atOnce).map((message) => post(service, message)))));
  return statuses;
}

import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Config } from "../core/config/config.ts";

/** Errors of PostgreSQL, or of the connection to it, when it goes away; SQLSTATE class 57P is an operator's intervention. */
const LOST = /^57P0|^08|^ECONNREFUSED|^ECONNRESET|^EPIPE|^unavailable|^Connection terminated|not queryable/;
/** How often a waiting node tries to connect, in milliseconds. */
const LOOK = 500;
/** How long one attempt waits, in milliseconds. */
const CONNECT = 5000;

/** Whether the error, or what caused it, means that the database connection was lost or cannot be made. */
export function isLost(error: unknown): boolean {
  const { message, code, type, syscall, cause } = error as Error & { code?: string | number; type?: string; syscall?: string };
  return (
    syscall === "connect" ||
    [code, type, message].some((text) => LOST.test(String(text))) ||
    (cause instanceof Error && isLost(cause))
  );
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Answers each request on the gateway's port with 503 until closed, so that a proxy sees the node as there and unready. */
async function answerUnready({ httpPort, httpAddress }: Config): Promise<() => Promise<void>> {
  const server = createServer((_request, response) => {
    response.writeHead(503, { "Content-Type": "application/json; charset=utf-8", "Retry-After": "1", Connection: "close" });
    response.end('{"status":"degraded"}');
  });
  await new Promise<void>((resolve) => {
    server.once("error", () => resolve());
    server.listen(httpPort, httpAddress, resolve);
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}

/**
 * Waits until the database answers again.
 * @param hasGateway whether the node answers requests: meanwhile each gets 503
 * @param signal ends the wait
 * @throws the signal's reason
 */
export async function databaseIsBack(config: Config, hasGateway: boolean, signal: AbortSignal): Promise<void> {
  const close = hasGateway ? await answerUnready(config) : async () => {};
  try {
    do await delay(LOOK, undefined, { signal });
    while (!(await answers(config.databaseUrl as string)));
  } finally {
    await close();
  }
}

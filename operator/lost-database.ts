import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Config } from "../core/config/config.ts";
import { type Part, readinessOf } from "../core/health/readiness.ts";
import { serveProbes } from "./health-server.ts";

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

/**
 * Answers the probes until closed, so that a proxy sees the node as there and unready: on the gateway's port, where every other request is
 * 503, else on that of the probes, if the node has one. A port that is in use stays without answers.
 * @param missing what the node waits for
 * @returns closes the port
 */
export async function answerUnready(
  { httpPort, httpAddress, healthPort, healthAddress }: Config,
  hasGateway: boolean,
  missing: Part,
): Promise<() => Promise<void>> {
  const waiting = readinessOf([missing]);
  const unready = async () => waiting;
  const none = async () => {};
  if (hasGateway) return serveProbes({ port: httpPort, host: httpAddress }, unready, waiting).catch(() => none);
  if (healthPort === undefined) return none;
  return serveProbes({ port: healthPort, host: healthAddress }, unready).catch(() => none);
}

/**
 * Waits until the database answers again.
 * @param hasGateway whether the node answers requests: meanwhile each gets 503, except `/health/live`
 * @param signal ends the wait
 * @throws the signal's reason
 */
export async function databaseIsBack(config: Config, hasGateway: boolean, signal: AbortSignal): Promise<void> {
  const close = await answerUnready(config, hasGateway, "database");
  try {
    do await delay(LOOK, undefined, { signal });
    while (!(await answers(config.databaseUrl as string)));
  } finally {
    await close();
  }
}

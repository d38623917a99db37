import { getServers } from "node:dns";
import type { Packet } from "dns-packet";
import { runtime } from "../../../core/config/runtime.ts";
import { askServer, type NameServerAddress, readAddress } from "./name-server.ts";

/** The timeouts of a lookup in milliseconds. */
export interface LookupTimeouts {
  /** Of the first try: a packet may be lost. */
  first: number;
  /** Of the whole lookup, including retries. */
  whole: number;
}

/** The timeouts of assets §2.6. */
const TIMEOUTS: LookupTimeouts = { first: 2000, whole: 5000 };

export type RecordType = "NS" | "MX" | "DNSKEY";

/** The name servers to query: the configured ones, else the system's. */
const nameServers = (): NameServerAddress[] => (runtime().config.outboundNameServers ?? getServers()).map(readAddress);

/** Conclusive response codes; on any other the next server is queried. */
const ANSWERS = new Set(["NOERROR", "NXDOMAIN"]);

/**
 * Looks a name up in public DNS. A silent server is retried after the others, a failing one is not.
 * @param name in ASCII
 * @param signal aborts the lookup
 * @param servers the servers to query
 * @param timeouts of the first try and of the whole lookup
 * @returns the response, whatever its code; null if none arrived in time
 */
export async function lookUp(
  name: string,
  type: RecordType,
  signal: AbortSignal,
  servers: readonly NameServerAddress[] = nameServers(),
  timeouts: LookupTimeouts = TIMEOUTS,
): Promise<Packet | null> {
  const end = performance.now() + timeouts.whole;
  const left = [...servers];
  let failure: Packet | null = null;
  for (let tried = 0; left.length > 0; tried++) {
    const remaining = Math.floor(end - performance.now());
    if (signal.aborted || remaining <= 0) break;
    const server = left.shift() as NameServerAddress;
    const patience = AbortSignal.timeout(tried === 0 ? Math.min(timeouts.first, remaining) : remaining);
    try {
      const reply = await askServer(server, { name, type }, AbortSignal.any([signal, patience]));
      if (ANSWERS.has(reply.rcode ?? "")) return reply;
      failure = reply;
    } catch {
      if (patience.aborted) left.push(server);
    }
  }
  return failure;
}

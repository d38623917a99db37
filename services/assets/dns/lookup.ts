import { getServers } from "node:dns";
import type { Packet } from "dns-packet";
import { runtime } from "../../../core/config/runtime.ts";
import { askServer, type NameServerAddress, readAddress } from "./name-server.ts";

/** The total timeout of a lookup in milliseconds, including retries (assets §2.6). */
const LIFETIME = 5000;
/** The timeout of the first try: a packet may be lost. */
const FIRST_TRY = 2000;

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
 * @returns the response, whatever its code; null if none arrived in time
 */
export async function lookUp(
  name: string,
  type: RecordType,
  signal: AbortSignal,
  servers: readonly NameServerAddress[] = nameServers(),
): Promise<Packet | null> {
  const end = performance.now() + LIFETIME;
  const left = [...servers];
  let failure: Packet | null = null;
  for (let tried = 0; left.length > 0; tried++) {
    const remaining = Math.floor(end - performance.now());
    if (signal.aborted || remaining <= 0) break;
    const server = left.shift() as NameServerAddress;
    const patience = AbortSignal.timeout(tried === 0 ? Math.min(FIRST_TRY, remaining) : remaining);
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

import { getServers } from "node:dns";
import type { Packet } from "dns-packet";
import { runtime } from "../../../core/config/runtime.ts";
import { askServer, type NameServerAddress, readAddress } from "./name-server.ts";

/** The longest a lookup takes, in milliseconds, whatever it tries (assets §2.6). */
const LIFETIME = 5000;
/** How long the first try waits: a packet may be lost. */
const FIRST_TRY = 2000;

export type RecordType = "NS" | "MX" | "DNSKEY";

/** The name servers that are asked: those of the setting, else those of the system. */
const nameServers = (): NameServerAddress[] => (runtime().config.outboundNameServers ?? getServers()).map(readAddress);

/** Codes that answer the question; with any other the next server is asked. */
const ANSWERS = new Set(["NOERROR", "NXDOMAIN"]);

/**
 * What public DNS says of a name. A server that is silent is asked again after the others, one that fails is not.
 * @param name in ASCII
 * @param signal ends the lookup early
 * @param servers where to ask
 * @returns the answer, whatever its code; null when there was none in time
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

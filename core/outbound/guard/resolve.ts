import { promises as dns, lookup } from "node:dns";
import { isIP } from "node:net";
import { promisify } from "node:util";
import type { Config } from "../../config/config.ts";
import { isAllowed, mayBeLocal, OutboundRefused, type PolicyConfig, type Target } from "./policy.ts";

export type GuardConfig = PolicyConfig & Pick<Config, "outboundNameServers">;

/** A checked address, allowed to connect to. */
export interface Checked {
  address: string;
  family: 4 | 6;
}

/** Longest time to resolve a name, in milliseconds. */
const LONGEST = 5000;
/** A name with more addresses is suspicious. */
const MOST_ADDRESSES = 64;
/** Definitive answers: no such name, no address of this family, or not a valid DNS name. */
const ABSENT = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);
/** No usable answer; a later query may get one. */
const UNANSWERED = new Set(["ESERVFAIL", "EREFUSED", "EFORMERR", "EBADRESP", "ETIMEOUT", "ECONNREFUSED", "ECANCELLED"]);

const addressesOf = (host: string): Checked[] => [{ address: host, family: isIP(host) as 4 | 6 }];

/** The addresses found; `isSettled` is false if a name server gave no answer. */
interface Resolved {
  addresses: Checked[];
  isSettled: boolean;
}

/** The addresses of one family; empty if the name has none. */
async function ask(question: Promise<string[]>, family: 4 | 6): Promise<Resolved> {
  try {
    return { addresses: (await question).map((address) => ({ address, family })), isSettled: true };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (ABSENT.has(code) || UNANSWERED.has(code)) return { addresses: [], isSettled: ABSENT.has(code) };
    throw error;
  }
}

/**
 * Every address of a name. Queries DNS through c-ares: `getaddrinfo` would block a thread of the pool while a name server is silent.
 * @param signal ends the queries early
 */
async function everyAddress(name: string, { outboundNameServers }: GuardConfig, signal: AbortSignal): Promise<Resolved> {
  const resolver = new dns.Resolver({ timeout: 2000, tries: 2 });
  if (outboundNameServers) resolver.setServers(outboundNameServers);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  const late = setTimeout(cancel, LONGEST);
  try {
    const both = await Promise.all([ask(resolver.resolve4(name), 4), ask(resolver.resolve6(name), 6)]);
    return { addresses: both.flatMap(({ addresses }) => addresses), isSettled: both.every(({ isSettled }) => isSettled) };
  } finally {
    clearTimeout(late);
    signal.removeEventListener("abort", cancel);
  }
}

const hostsFile = promisify(lookup);

/** Addresses of a name on the machine's own network that DNS does not know. */
async function localAddresses(name: string): Promise<Checked[]> {
  const found = await hostsFile(name, { all: true }).catch(() => []);
  return found.map(({ address, family }) => ({ address, family: family as 4 | 6 }));
}

/**
 * The addresses of a host, every one of them checked. Connect to these and do not resolve again: a name may resolve differently a moment
 * later.
 * @param host a name without trailing dot, or a literal address without brackets
 * @throws OutboundRefused if the name does not resolve, or any of its addresses is not allowed
 */
export async function resolveChecked(target: Target, host: string, config: GuardConfig, signal: AbortSignal): Promise<Checked[]> {
  let found: Checked[];
  let isSettled = true;
  if (isIP(host) !== 0) found = addressesOf(host);
  // RFC 6761 §6.3: these names are loopback, regardless of name servers.
  else if (host === "localhost" || host.endsWith(".localhost")) found = [...addressesOf("127.0.0.1"), ...addressesOf("::1")];
  else {
    ({ addresses: found, isSettled } = await everyAddress(host, config, signal));
    signal.throwIfAborted();
    if (found.length === 0 && mayBeLocal(target, config)) found = await localAddresses(host);
  }
  if (found.length === 0 || found.length > MOST_ADDRESSES)
    throw new OutboundRefused(target, "unresolved", `the name '${host}' does not resolve`, found.length === 0 && isSettled);
  if (!found.every(({ address }) => isAllowed(target, address, config)))
    throw new OutboundRefused(target, "private", `'${host}' is not a public address`);
  return found;
}

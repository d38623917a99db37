import net from "node:net";
import type { buildConnector } from "undici";
import { readHost } from "./addressing.ts";
import type { Target } from "./policy.ts";
import { type Checked, type GuardConfig, resolveChecked } from "./resolve.ts";

type Lookup = NonNullable<net.TcpNetConnectOpts["lookup"]>;

/** A `lookup` that always returns the checked addresses, so that nothing is resolved a second time. */
const answering = (checked: readonly Checked[]): Lookup =>
  ((_host: string, { all }: { all?: boolean }, done: (...answer: unknown[]) => void) =>
    all ? done(null, checked) : done(null, checked[0]?.address, checked[0]?.family)) as unknown as Lookup;

/** Options to reach checked addresses with `net.connect` or `tls.connect`: if the first does not answer, the others are tried. */
export const reaching = (checked: readonly Checked[]) => ({
  lookup: answering(checked),
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: 500,
});

/**
 * A connector for undici that resolves, checks, and connects to the checked addresses. TLS and `Host` keep the name.
 * @param timeout milliseconds for resolving and connecting
 */
export function guardedConnector(
  build: typeof buildConnector,
  target: Target,
  config: GuardConfig,
  timeout: number,
): buildConnector.connector {
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, "$1");
    const began = performance.now();
    resolveChecked(target, host, config, AbortSignal.timeout(timeout)).then(
      (checked) => {
        const left = Math.max(1, timeout - Math.round(performance.now() - began));
        build({ ...reaching(checked), allowH2: false, timeout: left } as buildConnector.BuildOptions)(options, callback);
      },
      (error: Error) => callback(error, null),
    );
  };
}

/**
 * Opens a TCP connection to a relay at a checked address.
 * @param host name or literal address; use it as the name for TLS
 * @param timeout milliseconds for resolving and connecting together
 * @throws OutboundRefused if the host is not allowed; the socket's error without an answer
 */
export async function connectChecked(
  target: Target,
  { host, port }: { host: string; port: number },
  config: GuardConfig,
  timeout = 10_000,
): Promise<net.Socket> {
  const name = readHost(target, host, port);
  const signal = AbortSignal.timeout(timeout);
  const checked = await resolveChecked(target, name, config, signal);
  const socket = net.connect({ host: name, port, ...reaching(checked) });
  return new Promise((resolve, reject) => {
    const giveUp = () => socket.destroy(new Error(`'${name}' did not answer within ${timeout} ms`));
    const settle = () => {
      signal.removeEventListener("abort", giveUp);
      socket.off("error", failed);
    };
    const failed = (error: Error) => {
      settle();
      reject(error);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    socket.once("error", failed);
    socket.once("connect", () => {
      settle();
      resolve(socket);
    });
  });
}

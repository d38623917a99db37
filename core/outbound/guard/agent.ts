import http from "node:http";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import { reaching } from "./connect.ts";
import type { Target } from "./policy.ts";
import { type GuardConfig, resolveChecked } from "./resolve.ts";

/** The connection settings of a guarded agent. */
export interface AgentOptions {
  /** Milliseconds to resolve and connect. */
  timeout: number;
  /** False accepts an untrusted certificate, by an administrator's choice for this address. */
  verifiesCertificate: boolean;
}

type Connected = (error: Error | null, socket?: net.Socket) => void;

/**
 * An agent of `node:http` or `node:https` that resolves, checks, and connects to the checked addresses. It is for libraries that take an
 * agent, such as a WebSocket client. TLS and `Host` keep the name.
 * @param isSecure whether the address is `https` or `wss`
 */
export function guardedNodeAgent(target: Target, isSecure: boolean, config: GuardConfig, options: AgentOptions): http.Agent {
  const { timeout, verifiesCertificate } = options;
  const agent = isSecure ? new https.Agent({ maxCachedSessions: 0 }) : new http.Agent();
  const connect = (given: net.TcpNetConnectOpts & { servername?: string }, done: Connected) => {
    const host = (given.host ?? "").replace(/^\[(.*)\]$/, "$1");
    const signal = AbortSignal.timeout(timeout);
    resolveChecked(target, host, config, signal).then(
      (checked) => {
        const place = { host, port: given.port, ...reaching(checked) };
        const socket = isSecure
          ? tls.connect({ ...place, ...(net.isIP(host) === 0 && { servername: host }), rejectUnauthorized: verifiesCertificate })
          : net.connect(place);
        const giveUp = () => socket.destroy(new Error(`'${host}' did not answer within ${timeout} ms`));
        signal.addEventListener("abort", giveUp, { once: true });
        socket.once(isSecure ? "secureConnect" : "connect", () => signal.removeEventListener("abort", giveUp));
        done(null, socket);
      },
      (error: Error) => done(error),
    );
  };
  return Object.assign(agent, { createConnection: connect });
}

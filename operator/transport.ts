import type { ServiceBroker } from "moleculer";
import { ConfigurationError } from "../core/config/config.ts";
import { hostsOf } from "./transporter.ts";

/** How long a node runs while its transporter refuses the credentials, in milliseconds. */
const PATIENCE = 60_000;
/** Error codes of the NATS client for invalid or expired credentials. */
const REFUSED = new Set([
  "AUTHORIZATION_VIOLATION",
  "BAD_AUTHENTICATION",
  "BAD_CREDS",
  "AUTHENTICATION_EXPIRED",
  "ACCOUNT_EXPIRED",
]);

interface Transit {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  tx: { client?: Client | null };
  discoverer: {
    sendLocalNodeInfo(): Promise<void>;
    discoverAllNodes(): Promise<void>;
    remoteNodeDisconnected(nodeId: string, isUnexpected: boolean): void;
  };
  sendDisconnectPacket(): Promise<void>;
}

interface RemoteNodes {
  registry: { nodes: { toArray(): { id: string; local: boolean }[] } };
}

interface Client {
  closed(): Promise<unknown>;
  status(): AsyncIterable<{ type: string }>;
}

/**
 * Counts every other node as away as soon as the connection is gone, so that no call waits for an answer that cannot arrive: what is on its
 * way is rejected, and new calls find no node. Moleculer would send them into the void until heartbeats have been missing for seconds. What
 * the client writes meanwhile is lost, and a call whose packet was lost would wait for its whole time.
 */
function loseNodes({ discoverer }: Transit, { registry }: RemoteNodes): void {
  for (const { id, local } of registry.nodes.toArray()) if (!local) discoverer.remoteNodeDisconnected(id, true);
}

/**
 * Announces this node to the others and asks for them, after the connection is back. Moleculer leaves it to the next heartbeats of all
 * nodes. The farewell comes first: nodes that stayed connected may have sent calls to this one meanwhile, which are lost.
 */
async function findAgain(transit: Transit): Promise<void> {
  const { discoverer } = transit;
  await transit.sendDisconnectPacket().catch(() => {});
  await Promise.all([discoverer.sendLocalNodeInfo(), discoverer.discoverAllNodes()]).catch(() => {});
}

interface Watching {
  onEnd(reason: string): void;
  awaits?(): Promise<() => Promise<void>>;
  signal: AbortSignal;
}

/**
 * Watches a node's connection to its transporter. It logs refused credentials, and ends the node if they stay refused for a minute:
 * Moleculer itself would retry forever or, after a change of credentials, not at all. An unreachable transporter is waited for. When a node
 * stops without its transporter, the stop continues: Moleculer would skip the `stopped` hooks, which stop the databases.
 * @param onEnd receives the reason when a node that was connected ends
 * @param awaits called once if a node that starts cannot connect; its result is called before the start goes on
 * @param signal cancels the first connection
 * @returns whether the connection is there
 */
export function watchTransport(
  broker: ServiceBroker,
  servers: readonly URL[],
  { onEnd, awaits = async () => async () => {}, signal }: Watching,
): () => boolean {
  const transit = broker.transit as unknown as Transit | undefined;
  if (!transit) return () => false;
  const logger = broker.getLogger("transport");
  let patience: NodeJS.Timeout | undefined;
  let giveUp: (reason: string) => void = onEnd;
  let isConnected = false;
  /** Ends what a node does that waits for its first connection. */
  let goOn: Promise<() => Promise<void>> | undefined;
  let isStarting = true;

  const awaited = (error: Error) => {
    if (!isStarting || goOn || signal.aborted) return;
    const sentence = `NATS at ${hostsOf(servers)} cannot be reached (${error.message})`;
    logger.warn({ event: "transport.connection_awaited" }, `${sentence}: this node waits, unready, until it can.`);
    goOn = awaits();
  };
  const refused = (error: Error) => {
    if (patience || signal.aborted) return;
    const sentence = `NATS at ${hostsOf(servers)} refuses the credentials of this node (${error.message})`;
    logger.error({ event: "transport.credentials_refused" }, `${sentence}; this node ends unless they count within a minute.`);
    patience = setTimeout(() => giveUp(`${sentence}, and has done so for a minute.`), PATIENCE);
  };
  // The client reconnects on its own, which Moleculer does not see.
  const follow = async (client: Client) => {
    for await (const { type } of client.status()) {
      if (type === "disconnect") {
        isConnected = false;
        loseNodes(transit, broker as unknown as RemoteNodes);
      }
      if (type !== "reconnect") continue;
      isConnected = true;
      await findAgain(transit);
    }
    isConnected = false;
  };
  const onError = ({ error }: { error?: Error & { code?: string } }) => {
    if (!error) return;
    if (REFUSED.has(error.code ?? "")) refused(error);
    else awaited(error);
  };
  const onConnected = () => {
    clearTimeout(patience);
    patience = undefined;
    isConnected = true;
    const { client } = transit.tx;
    if (!client) return;
    void client.closed().then((error) => onError({ error: error as Error }));
    void follow(client);
  };
  broker.localBus.on("$transporter.error", onError);
  broker.localBus.on("$transporter.connected", onConnected);

  const connect = transit.connect.bind(transit);
  const connected = () =>
    new Promise<void>((resolve, reject) => {
      giveUp = (reason) => reject(new ConfigurationError(reason));
      const callOff = () => reject(signal.reason as Error);
      signal.addEventListener("abort", callOff, { once: true });
      void connect().then(() => {
        giveUp = onEnd;
        signal.removeEventListener("abort", callOff);
        resolve();
      });
    });
  transit.connect = async () => {
    try {
      await connected();
    } finally {
      isStarting = false;
      await (await goOn)?.();
    }
  };

  const disconnect = transit.disconnect.bind(transit);
  transit.disconnect = async () => {
    try {
      await disconnect();
    } catch (error) {
      logger.warn(
        { event: "transport.connection_not_closed" },
        `NATS at ${hostsOf(servers)} was gone when this node stopped (${(error as Error).message}).`,
      );
    }
  };
  return () => isConnected;
}

import type { ServiceSchema } from "moleculer";
import { readConfig } from "../../../core/config/config.ts";
import { createNode, type ServiceNode } from "../../../operator/node.ts";
import { takeTurns } from "../http.ts";
import { observe } from "../run/observed.ts";
import { type Cluster, launchCluster } from "./cluster.ts";
import { topology } from "./topology.ts";

/** The service as tests call it. */
export interface StartedService {
  /** The node of this process: all of the service, or in a cluster only the actors of the test. */
  node: ServiceNode;
  port: number;
  end(): Promise<void>;
}

/**
 * Starts the service in this process, or on a cluster whose gateways take the calls in turn.
 * @param extra actors of the test, which run in its process
 * @param standIns planned modules whose permissions they require
 */
export async function startNode(
  settings: Record<string, string>,
  extra: readonly ServiceSchema[],
  standIns: readonly string[],
): Promise<StartedService> {
  const [cluster, patterns]: [Cluster | null, string[]] =
    topology() === "cluster" ? [await launchCluster(settings), ["none"]] : [null, []];
  const own = cluster ? { ...settings, TRANSPORTER: cluster.transporter, SERVICE_NODE_ID: "tests" } : settings;
  const node = await createNode(readConfig(own), patterns, extra, standIns);
  observe(node);
  await node.start();
  if (!cluster) return { node, port: node.port() as number, end: () => node.stop() };
  await cluster.joined(node.broker);
  const [port = 0] = cluster.ports;
  takeTurns(port, cluster.ports);
  return {
    node,
    port,
    async end() {
      await node.stop();
      await cluster.stop();
    },
  };
}

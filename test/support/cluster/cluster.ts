import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ServiceBroker } from "moleculer";
import groups from "../../../deploy/groups.json" with { type: "json" };
import { certificate } from "../certificate.ts";
import { findNats, startNats } from "../nodes/nats.ts";
import { freePort } from "../ports.ts";
import { launchService, type Spawned } from "../process.ts";
import { bePatient } from "./patience.ts";
import { shareClock } from "./shared-clock.ts";

const PRELOAD = ["--import", path.join(import.meta.dirname, "preload.ts")];
/** How many nodes of each group of `deploy/groups.json` a cluster has. */
const EACH = 2;
/** The longest time until all nodes know each other, and the time between two looks, in milliseconds. */
const [LONGEST, BETWEEN] = [600_000, 250];

/** Two gateways and two workers, each a process of its own, over one NATS. */
export interface Cluster {
  /** The ports of the gateways. */
  ports: number[];
  /** The address of NATS, for another node. */
  transporter: string;
  /** Waits until all nodes, and that of this broker, know the same actors. */
  joined(broker: ServiceBroker): Promise<void>;
  stop(): Promise<void>;
}

/** The sentence of a test that a machine without NATS does not run. */
export const withoutNats = (): string | null =>
  findNats() ? null : "not run: nats-server is not installed (apt-get install nats-server)";

/** The actors that a node offers now, with their node. */
async function actorsSeen(broker: ServiceBroker, nodeID: string): Promise<string> {
  const asked = { onlyAvailable: true, skipInternal: true, withActions: false };
  const seen = await broker.call<{ name: string; nodeID: string }[], object>("$node.services", asked, { nodeID });
  return JSON.stringify(seen.map(({ name, nodeID }) => `${name} ${nodeID}`).sort());
}

/**
 * Starts a cluster on a database.
 * @param environment settings of all nodes
 */
export async function launchCluster(environment: Record<string, string>): Promise<Cluster> {
  const running: Spawned[] = [];
  const folder = mkdtempSync(path.join(tmpdir(), "kantoor-clock-"));
  const clock = path.join(folder, "clock");
  const endClock = shareClock(clock);
  const stop = async () => {
    const [nats, ...nodes] = running.splice(0);
    await Promise.all(nodes.map((node) => node.stop()));
    await nats?.stop();
    endClock();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const nats = await startNats();
    running.push(nats);
    const transporter = `nats://127.0.0.1:${nats.port}`;
    const ports = await Promise.all(Array.from({ length: EACH }, freePort));
    const settings = {
      ...environment,
      TRANSPORTER: transporter,
      TEST_CLOCK: clock,
      TEST_AUTHORITY: certificate,
    };
    bePatient();
    const names: string[] = [];
    const launching = Object.entries(groups).flatMap(([group, { actors }]) =>
      Array.from({ length: EACH }, async (_, at) => {
        const name = `${group}-${at + 1}`;
        names.push(name);
        const own = { SERVICE_NODE_ID: name, ...(group === "gateways" && { SERVICE_HTTP_PORT: String(ports[at]) }) };
        running.push(await launchService({ ...settings, ...own }, ["--actors", ...actors], { flags: PRELOAD }));
      }),
    );
    await Promise.all(launching);
    return {
      ports,
      transporter,
      async joined(broker) {
        const look = () => Promise.all([broker.nodeID, ...names].map((name) => actorsSeen(broker, name).catch(() => name)));
        const isWhole = (seen: string[]) => new Set(seen).size === 1 && names.every((name) => seen[0]?.includes(` ${name}"`));
        for (const deadline = performance.now() + LONGEST; !isWhole(await look()); await delay(BETWEEN))
          if (performance.now() > deadline)
            throw new Error(`the nodes of the cluster do not know each other after ${LONGEST} ms`);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

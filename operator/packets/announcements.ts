import { createHash } from "node:crypto";
import type { ServiceBroker } from "moleculer";

/** How long a node waits for declarations before it asks another node for them, in milliseconds. */
const PATIENCE = 2000;
/** Bytes of a digest: 96 bits tell apart all declarations that an installation ever has. */
const DIGEST_BYTES = 12;

/** The declaration of an actor: its name, settings, actions with their schemas, and events. */
type Declaration = object;

interface Payload {
  sender: string;
  services?: readonly Declaration[];
  /** INFO: of each actor of the sender, in its order. Without them, `services` has all declarations. */
  digests?: readonly string[];
  /** DISCOVER: the declarations that the answer shall contain; null for all. A version before 0.4 sends none, and gets all. */
  wants?: readonly string[] | null;
}
interface Packet {
  type: string;
  target: string | null;
  payload: Partial<Payload> & Record<string, unknown>;
}
type Publish = (packet: Packet) => Promise<unknown>;
type Handle = (command: string, packet: { payload: Payload }) => Promise<unknown>;

/** The parts of a broker that announcements use. */
export type AnnouncingBroker = Pick<ServiceBroker, "instanceID" | "getLocalNodeInfo"> & {
  started: boolean;
  stopping: boolean;
  transit?: { publish: Publish };
  registry: {
    discoverer: { discoverAllNodes(): Promise<unknown> };
    nodes: { localNode: { seq: number; cpu: number | null }; toArray(): { services: readonly Declaration[] | null }[] };
  };
};

const digestOf = (declaration: Declaration): string =>
  createHash("sha256").update(JSON.stringify(declaration)).digest().subarray(0, DIGEST_BYTES).toString("base64url");

/** The declarations that a node has: its own, and those of other nodes that differ. Nodes with the same one share its object. */
class Declarations {
  /** Of the last list of this node's own actors. */
  #own = new Map<string, Declaration>();
  #list: readonly Declaration[] | undefined;
  readonly #learned = new Map<string, Declaration>();

  /** The digests of this node's own actors, in their order. */
  digestsOf(list: readonly Declaration[]): string[] {
    if (list !== this.#list) {
      this.#list = list;
      this.#own = new Map(list.map((declaration) => [digestOf(declaration), declaration]));
    }
    return [...this.#own.keys()];
  }

  of(digest: string): Declaration | undefined {
    return this.#own.get(digest) ?? this.#learned.get(digest);
  }

  /** Keeps declarations of another node, and forgets what no node of `used` has any more. */
  learn(declarations: readonly Declaration[], used: ReadonlySet<Declaration>): void {
    for (const [known, declaration] of this.#learned) if (!used.has(declaration)) this.#learned.delete(known);
    for (const declaration of declarations) this.#learned.set(digestOf(declaration), declaration);
  }
}

/**
 * Announces a node by the digests of its actors' declarations. A node reads most of them from its own, because all nodes of a version have
 * the same, asks the first other node for those that it lacks, and keeps them for the next ones. With 238 actors, all declarations are 2.7 MB
 * for each pair of nodes at each start.
 *
 * A node that does not ask by digest gets all declarations, so versions mix. For the same reason no list of actors is broadcast: a heartbeat
 * names the state of the list, and each node that has another one asks.
 */
class Announcements {
  readonly #broker: AnnouncingBroker;
  readonly #declarations = new Declarations();
  /** What other nodes asked for last, by their ids. */
  readonly #wanted = new Map<string, ReadonlySet<string>>();
  /** Announcements that wait for declarations which another node was asked for. */
  readonly #waiting = new Map<string, () => void>();
  #patience = 0;

  constructor(broker: AnnouncingBroker) {
    this.#broker = broker;
  }

  /** What is sent in place of a packet. */
  toSend(packet: Packet): Packet {
    const { type, target, payload } = packet;
    if (type === "DISCOVER") return { ...packet, payload: { wants: [], ...payload } };
    if (type === "HEARTBEAT") return this.#broker.started && !this.#broker.stopping ? this.#heartbeat() : packet;
    if (type !== "INFO" || !payload.services || payload.services.length === 0) return packet;
    if (!target) return this.#heartbeat();
    const wanted = this.#wanted.get(target);
    if (!wanted) return packet;
    const digests = this.#declarations.digestsOf(payload.services);
    const services = payload.services.filter((_, at) => wanted.has(digests[at] as string));
    return { ...packet, payload: { ...payload, services, digests } };
  }

  /** Passes on a received packet, an announcement with its declarations as soon as this node has all of them. */
  received(command: string, packet: { payload: Payload }, next: Handle): Promise<unknown> {
    const { payload } = packet;
    if (command === "DISCOVER") {
      if (Array.isArray(payload.wants)) this.#wanted.set(payload.sender, new Set(payload.wants));
      else this.#wanted.delete(payload.sender);
    }
    if (command === "INFO" || command === "DISCONNECT") this.#waiting.delete(payload.sender);
    if (command === "INFO" && payload.digests) return this.#announced(command, payload, payload.digests, next);
    return next(command, packet);
  }

  /** Reads its own declarations, once all actors have started, and asks for the nodes that it could not read before. */
  async started(): Promise<void> {
    if (!this.#broker.transit) return;
    const { services } = this.#broker.getLocalNodeInfo() as unknown as { services: readonly Declaration[] };
    this.#declarations.digestsOf(services);
    await this.#broker.registry.discoverer.discoverAllNodes();
  }

  #heartbeat(): Packet {
    const { seq, cpu } = this.#broker.registry.nodes.localNode;
    return { type: "HEARTBEAT", target: null, payload: { cpu, seq, instanceID: this.#broker.instanceID } };
  }

  async #announced(command: string, payload: Payload, digests: readonly string[], next: Handle): Promise<unknown> {
    const { sender, services: whole = [] } = payload;
    if (whole.length > 0) this.#learn(whole);
    const missing = digests.filter((one) => !this.#declarations.of(one));
    if (missing.length === 0)
      return next(command, {
        payload: { ...payload, services: digests.map((one) => this.#declarations.of(one) as Declaration) },
      });
    // `started` asks again, for most of it is this node's own.
    if (!this.#broker.started) return false;
    if (whole.length === 0 && Date.now() < this.#patience) {
      this.#waiting.set(sender, () => void this.#announced(command, payload, digests, next));
      return false;
    }
    this.#patience = Date.now() + PATIENCE;
    // Once only, or a node whose answer lacks what was asked for would be asked without end.
    const wants = whole.length > 0 ? null : missing;
    await this.#broker.transit?.publish({ type: "DISCOVER", target: sender, payload: { wants } });
    return false;
  }

  #learn(declarations: readonly Declaration[]): void {
    const used = new Set(this.#broker.registry.nodes.toArray().flatMap(({ services }) => services ?? []));
    this.#declarations.learn(declarations, used);
    this.#patience = 0;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const go of waiting) go();
  }
}

/** Lets nodes announce themselves by digests. */
export const announcementMiddleware = () => {
  let announcements: Announcements;
  return {
    name: "Announcements",
    created(broker: AnnouncingBroker): void {
      announcements = new Announcements(broker);
    },
    started: (): Promise<void> => announcements.started(),
    transitPublish:
      (next: Publish): Publish =>
      (packet) =>
        next(announcements.toSend(packet)),
    transitMessageHandler:
      (next: Handle): Handle =>
      (command, packet) =>
        announcements.received(command, packet, next),
  };
};

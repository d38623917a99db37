import type { KeyObject } from "node:crypto";
import type { ServiceBroker } from "moleculer";
import { runtime } from "../../core/config/runtime.ts";
import { Pieces, toMessages } from "./pieces.ts";
import { RefusalLog } from "./refusal-log.ts";
import { EVERY_NODE, headOf, isSealed, keyOfBoot, newBoot, opened, type PacketKey, packetKey, seal } from "./seal.ts";
import { type Refusal, Senders } from "./senders.ts";

interface SentPacket {
  /** Moleculer names no target, or null, in a packet to every node. */
  packet: { type: string; target?: string | null | undefined };
}
type Send = (topic: string, data: Buffer, meta: SentPacket) => unknown;
type Receive = (command: string, data: Buffer, source: unknown) => unknown;

/** Commands without a receiver, by which nodes find and lose each other. Everything else names the run that it is for. */
const TO_EVERY_NODE = new Set(["DISCOVER", "INFO", "HEARTBEAT", "DISCONNECT", "PING"]);

/** What the packets of a node are sealed with. */
export interface PacketSecrets {
  secret: string;
  /** Secrets of other nodes during a rotation. */
  others: readonly string[];
  /** `accept`: for a rolling upgrade from a version that did not seal. */
  unsigned: "refuse" | "accept";
}

const configured = (): PacketSecrets => {
  const { secret, config } = runtime();
  return { secret, others: config.encryptionOtherKeys ?? [], unsigned: config.packetsUnsigned };
};

/**
 * Seals and opens the packets of one run of a node (conventions §2). Only a holder of the main secret can send a packet that counts; each
 * counts once, for 60 s, and only for the run of the node that it names.
 */
class SealedPackets {
  readonly #nodeId: string;
  readonly #keys: PacketKey[];
  readonly #boot = newBoot(Date.now());
  readonly #key: KeyObject;
  readonly #pieces = new Pieces();
  readonly #senders = new Senders();
  readonly #log: RefusalLog;
  readonly #acceptsUnsigned: boolean;
  #counter = 0;

  constructor(broker: Pick<ServiceBroker, "nodeID" | "getLogger">, { secret, others, unsigned }: PacketSecrets) {
    this.#nodeId = broker.nodeID;
    this.#keys = [secret, ...others].map(packetKey);
    this.#key = keyOfBoot(secret, this.#boot);
    this.#log = new RefusalLog(broker.getLogger("transport"));
    this.#acceptsUnsigned = unsigned === "accept";
    if (this.#acceptsUnsigned) this.#log.unsignedAccepted();
  }

  /** The messages of a packet; none for a node that has not been heard in this run of it, which could not read them. */
  toSend(data: Buffer, { type, target }: SentPacket["packet"]): Buffer[] {
    const messages = toMessages(data);
    const isForEveryNode = target === null || target === undefined;
    const receiver = isForEveryNode ? EVERY_NODE : this.#senders.of(target)?.boot;
    if (!receiver) return this.#acceptsUnsigned ? messages : [];
    const sealed = messages.map((message) => this.#sealed(message, type, receiver));
    return this.#acceptsUnsigned && isForEveryNode ? [...messages, ...sealed] : sealed;
  }

  /** The packet that a message completes; null for one that is incomplete, refused or this node's own. */
  received(message: Buffer, command: string): Buffer | null {
    const content = isSealed(message) ? this.#opened(message, command) : this.#unsealed(message, command);
    if (content === null) return null;
    try {
      return this.#pieces.take(content);
    } catch (error) {
      this.#log.unreadable(command, error as Error);
      return null;
    }
  }

  #sealed(message: Buffer, command: string, receiver: Buffer): Buffer {
    this.#counter += 1;
    return seal(message, this.#key, command, {
      keyId: this.#keys[0]?.id as Buffer,
      boot: this.#boot,
      sender: this.#nodeId,
      counter: this.#counter,
      instant: Date.now(),
      receiver,
    });
  }

  #opened(message: Buffer, command: string): Buffer | null {
    const head = headOf(message);
    if (!head) return this.#refuse("forged", command, "unknown");
    if (head.boot.equals(this.#boot)) return null;
    const secret = this.#keys.find(({ id }) => id.equals(head.keyId))?.secret;
    if (secret === undefined) return this.#refuse("unknown_key", command, head.sender);
    const isMeant = head.receiver.equals(this.#boot) || (head.receiver.equals(EVERY_NODE) && TO_EVERY_NODE.has(command));
    if (!isMeant) return this.#refuse("other_receiver", command, head.sender);
    const now = Date.now();
    const refusal = this.#senders.refusal(head, now);
    if (refusal) return this.#refuse(refusal, command, head.sender);
    const sender = this.#senders.candidate(head, () => keyOfBoot(secret, head.boot));
    const content = opened(message, sender.key, command, head);
    if (content === null) return this.#refuse("forged", command, head.sender);
    this.#senders.record(sender, head, now);
    return content;
  }

  /** An unsealed message, while they are accepted. Broadcasts of a node that accepts them arrive twice, which their receivers tolerate. */
  #unsealed(message: Buffer, command: string): Buffer | null {
    return this.#acceptsUnsigned ? message : this.#refuse("unsealed", command, "unknown");
  }

  #refuse(refusal: Refusal, command: string, sender: string): null {
    this.#log.refused(refusal, command, sender);
    return null;
  }
}

/**
 * Compresses large packets, splits what is still large, and seals each message. It works synchronously, so that a node's packets keep their
 * order.
 * @param secrets by default the configured ones, read once the start has determined them
 */
export const packetMiddleware = (secrets: () => PacketSecrets = configured) => {
  let broker: Pick<ServiceBroker, "nodeID" | "getLogger">;
  let packets: SealedPackets | undefined;
  const own = (): SealedPackets => {
    packets ??= new SealedPackets(broker, secrets());
    return packets;
  };
  return {
    name: "Packets",
    created(node: Pick<ServiceBroker, "nodeID" | "getLogger">): void {
      broker = node;
    },
    transporterSend:
      (next: Send): Send =>
      (topic, data, meta) =>
        Promise.all(
          own()
            .toSend(data, meta.packet)
            .map((message) => next(topic, message, meta)),
        ),
    transporterReceive:
      (next: Receive): Receive =>
      (command, data, source) => {
        const packet = own().received(data, command);
        return packet === null ? undefined : next(command, packet, source);
      },
  };
};

import type { KeyObject } from "node:crypto";
import type { Head } from "./seal.ts";

/** How far the instant of a message may be from this node's clock, in milliseconds: two clocks that are each 30 s off still talk. */
const OLDEST = 60_000;
/** How long a silent sender is remembered, in milliseconds. Longer than any of its messages counts. */
const SILENCE = 2 * OLDEST;
/** Messages of one sender that may arrive out of order. */
const WINDOW = 1024;

/** Why a message is refused. */
export type Refusal = "unsealed" | "unknown_key" | "other_receiver" | "earlier_run" | "instant" | "repeated" | "forged";

/** One run of another node, since its first message here. */
export interface Sender {
  boot: Buffer;
  key: KeyObject;
  /** Last message, in milliseconds. */
  heard: number;
  highest: number;
  readonly seen: Float64Array;
}

/** The runs of other nodes, of each node the newest. Each message of a run counts once. */
export class Senders {
  readonly #byNode = new Map<string, Sender>();
  #swept = 0;

  /** The newest run of a node that this node has heard; undefined for a node that it has not heard. */
  of(nodeId: string): Sender | undefined {
    return this.#byNode.get(nodeId);
  }

  /** The run that a head names, if it is known, or a new one. Nothing is recorded before `record`. */
  candidate(head: Head, keyOf: () => KeyObject): Sender {
    const known = this.#byNode.get(head.sender);
    if (known?.boot.equals(head.boot)) return known;
    return { boot: Buffer.from(head.boot), key: keyOf(), heard: 0, highest: 0, seen: new Float64Array(WINDOW) };
  }

  /** Why a message does not count by its head alone; null if it may. */
  refusal({ sender, boot, counter, instant }: Head, now: number): Refusal | null {
    if (Math.abs(now - instant) > OLDEST) return "instant";
    const known = this.#byNode.get(sender);
    if (!known) return null;
    if (!known.boot.equals(boot)) return Buffer.compare(boot, known.boot) < 0 ? "earlier_run" : null;
    return counter <= known.highest - WINDOW || known.seen[counter % WINDOW] === counter ? "repeated" : null;
  }

  /** Records a message that the sender has proved. */
  record(sender: Sender, { sender: nodeId, counter }: Head, now: number): void {
    this.#sweep(now);
    sender.seen[counter % WINDOW] = counter;
    sender.highest = Math.max(sender.highest, counter);
    sender.heard = now;
    this.#byNode.set(nodeId, sender);
  }

  #sweep(now: number): void {
    if (now - this.#swept < OLDEST) return;
    this.#swept = now;
    for (const [nodeId, { heard }] of this.#byNode) if (now - heard > SILENCE) this.#byNode.delete(nodeId);
  }
}

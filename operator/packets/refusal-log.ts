import type { Refusal } from "./senders.ts";

interface Warner {
  warn(details: object, sentence: string): void;
}

/** How often the same refusal is logged, in milliseconds. */
const INTERVAL = 60_000;
/** Senders whose refusals are counted apart; the name of a sender is unproved, so a stranger could invent any number. */
const MOST = 100;

const REASONS: Record<Refusal, string> = {
  unsealed: "it is not sealed: the sender is not a node of this installation, or of a version before 0.4.0",
  unknown_key:
    "it is sealed with another secret: SERVICE_SECRET differs, or the rotated one is not in SERVICE_ENCRYPTION_OTHER_KEYS",
  other_receiver: "it was meant for another node, or for an earlier run of this one",
  earlier_run: "its sender has restarted since",
  instant: "its instant is more than 60 seconds from this node's clock",
  repeated: "it has been received before",
  forged: "its seal does not match its content",
};

/** Logs refused messages: the first of a kind and sender at once, then at most one line a minute with their number. */
export class RefusalLog {
  readonly #logger: Warner;
  readonly #counts = new Map<string, { since: number; count: number }>();

  constructor(logger: Warner) {
    this.#logger = logger;
  }

  refused(refusal: Refusal, command: string, sender: string): void {
    const count = this.#due(`${refusal} ${sender}`);
    if (count > 0)
      this.#logger.warn(
        { event: "transport.packet_refused", reason: refusal, sender, command, count },
        `Refused ${count === 1 ? "a packet" : `${count} packets`} (${command}) that names ${sender} as sender: ${REASONS[refusal]}.`,
      );
  }

  unreadable(command: string, error: Error): void {
    const count = this.#due("unreadable");
    if (count > 0)
      this.#logger.warn(
        { event: "transport.packet_unreadable", command, count },
        `Dropped ${count === 1 ? "a packet" : `${count} packets`} (${command}) that cannot be inflated: ${error.message}.`,
      );
  }

  unsignedAccepted(): void {
    this.#logger.warn(
      { event: "transport.unsigned_accepted" },
      "SERVICE_PACKETS_UNSIGNED=accept: anyone who reaches NATS can call every action; remove it after the upgrade.",
    );
  }

  /** The number of refusals to log now, 0 if none is due. */
  #due(kind: string): number {
    const now = Date.now();
    const key = this.#counts.has(kind) || this.#counts.size < MOST ? kind : "others";
    const known = this.#counts.get(key);
    if (known && now - known.since < INTERVAL) {
      known.count += 1;
      return 0;
    }
    this.#counts.set(key, { since: now, count: 0 });
    return (known?.count ?? 0) + 1;
  }
}

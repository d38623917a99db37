import dgram from "node:dgram";
import type { AddressInfo } from "node:net";
import packet, { type Answer, type Packet, type Question } from "dns-packet";

/** The name server's response for a name. */
export interface NameAnswer {
  a?: string[];
  aaaa?: string[];
  cname?: string;
  rcode?: "NXDOMAIN" | "SERVFAIL" | "REFUSED";
  /** Delay of the response in milliseconds. */
  delay?: number;
  /** Never responds. */
  silent?: boolean;
  /** Responds with bytes that are not DNS. */
  garbage?: boolean;
}

const RCODES = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5 };

/** A name server on 127.0.0.1 that can respond like a hostile one. Unknown names are NXDOMAIN. */
export class NameServer {
  readonly #names = new Map<string, NameAnswer[]>();
  #socket!: dgram.Socket;
  /** Questions as `A name`, in order. */
  readonly asked: string[] = [];

  start(): Promise<void> {
    // A closed socket cannot be reused.
    this.#socket = dgram.createSocket("udp4");
    this.#socket.on("message", (message, from) => this.#answer(message, from));
    return new Promise((resolve) => this.#socket.bind(0, "127.0.0.1", () => resolve()));
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }

  /** Value of `SERVICE_OUTBOUND_NAME_SERVERS`. */
  get address(): string {
    return `127.0.0.1:${(this.#socket.address() as AddressInfo).port}`;
  }

  /** Sets the answers of a name: the first answer for the first question of each type, and so on; the last one repeats. */
  hold(name: string, ...answers: NameAnswer[]): void {
    this.#names.set(name, answers);
  }

  reset(): void {
    this.#names.clear();
    this.asked.length = 0;
  }

  #answer(message: Buffer, from: dgram.RemoteInfo): void {
    const query = packet.decode(message);
    const [question] = query.questions ?? [];
    if (!question) return;
    const label = `${question.type} ${question.name}`;
    const before = this.asked.filter((one) => one === label).length;
    this.asked.push(label);
    const held = this.#names.get(question.name) ?? [{ rcode: "NXDOMAIN" as const }];
    const answer = held[Math.min(before, held.length - 1)] as NameAnswer;
    if (answer.silent) return;
    const reply = answer.garbage
      ? Buffer.from([...message.subarray(0, 2), 0x81, 0x80, 1, 2, 3])
      : this.#reply(query, question, answer);
    setTimeout(() => this.#socket.send(reply, from.port, from.address, () => {}), answer.delay ?? 0);
  }

  #reply(query: Packet, question: Question, { a = [], aaaa = [], cname, rcode }: NameAnswer): Buffer {
    const { name, type } = question;
    const owner = cname ?? name;
    const alias: Answer[] = cname ? [{ type: "CNAME", name, data: cname, ttl: 0 }] : [];
    const found: Answer[] =
      type === "A"
        ? a.map((data) => ({ type: "A", name: owner, data, ttl: 0 }))
        : type === "AAAA"
          ? aaaa.map((data) => ({ type: "AAAA", name: owner, data, ttl: 0 }))
          : [];
    const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | (rcode ? RCODES[rcode] : 0);
    return packet.encode({ id: query.id ?? 0, type: "response", flags, questions: [question], answers: [...alias, ...found] });
  }
}

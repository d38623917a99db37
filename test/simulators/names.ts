import dgram from "node:dgram";
import type { AddressInfo } from "node:net";
import packet, { type Answer, type Packet, type Question } from "dns-packet";

/** What the name server says about a name. */
export interface NameAnswer {
  a?: string[];
  aaaa?: string[];
  cname?: string;
  rcode?: "NXDOMAIN" | "SERVFAIL" | "REFUSED";
  /** Milliseconds before it answers. */
  delay?: number;
  /** Never answers. */
  silent?: boolean;
  /** Answers bytes that are no DNS. */
  garbage?: boolean;
}

const RCODES = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5 };

/** A name server on 127.0.0.1 that says what a hostile one would. A name it does not hold is NXDOMAIN. */
export class NameServer {
  readonly #names = new Map<string, NameAnswer[]>();
  #socket!: dgram.Socket;
  /** Questions as `A name`, in order. */
  readonly asked: string[] = [];

  start(): Promise<void> {
    // A closed one cannot be opened again.
    this.#socket = dgram.createSocket("udp4");
    this.#socket.on("message", (message, from) => this.#answer(message, from));
    return new Promise((resolve) => this.#socket.bind(0, "127.0.0.1", () => resolve()));
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }

  /** What `SERVICE_OUTBOUND_NAME_SERVERS` is set to. */
  get address(): string {
    return `127.0.0.1:${(this.#socket.address() as AddressInfo).port}`;
  }

  /** What a name resolves to: the first answer for the first question of a type, and so on; the last one stays. */
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

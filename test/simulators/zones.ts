import dgram from "node:dgram";
import net, { type AddressInfo } from "node:net";
import packet, { type Answer, type Packet, type Question } from "dns-packet";

/** A name server's response; without `rcode` it is NOERROR. */
export interface ZoneReply {
  rcode?: keyof typeof RCODES;
  answers?: Answer[];
  authorities?: Answer[];
  /** Sets the truncation flag over UDP. */
  truncated?: boolean;
  /** Uses another id than the question's, like an attacker who guesses. */
  wrongId?: boolean;
  /** Answers another question than the one asked. */
  about?: Question;
  /** Bytes instead of a response. */
  bytes?: Buffer;
  delay?: number;
}

const RCODES = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 };

/** A question as received. */
export interface AskedOf {
  name: string;
  type: string;
  by: "udp" | "tcp";
  /** Whether it announced its buffer size (EDNS). */
  extended: boolean;
}
/** The response to a question; several replies are sent in turn, null is silence. */
export type ZoneScript = (asked: AskedOf) => ZoneReply | ZoneReply[] | null;

export const soa = (name: string): Answer => ({
  type: "SOA",
  name,
  ttl: 60,
  data: { mname: "ns1.host.example", rname: "hostmaster.host.example", serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 },
});
export const ns = (name: string, data: string): Answer => ({ type: "NS", name, ttl: 60, data });
export const mx = (name: string, preference: number, exchange: string): Answer => ({
  type: "MX",
  name,
  ttl: 60,
  data: { preference, exchange },
});
export const cname = (name: string, data: string): Answer => ({ type: "CNAME", name, ttl: 60, data });
/** @param bytes of the key, for responses of any size */
export const dnskey = (name: string, bytes = 64): Answer => ({
  type: "DNSKEY",
  name,
  ttl: 60,
  data: { flags: 257, algorithm: 13, key: Buffer.alloc(bytes, 7) },
});

/** A name server on a port of 127.0.0.1, over UDP and TCP, that responds by script. */
export class ZoneServer {
  #udp!: dgram.Socket;
  #tcp!: net.Server;
  script: ZoneScript = () => ({ rcode: "NXDOMAIN" });
  readonly asked: AskedOf[] = [];

  async start(): Promise<void> {
    this.#tcp = net.createServer((socket) => this.#serve(socket));
    await new Promise<void>((resolve) => this.#tcp.listen(0, "127.0.0.1", resolve));
    this.#udp = dgram.createSocket("udp4");
    this.#udp.on("message", (message, { port, address }) =>
      this.#answer("udp", message, (reply) => this.#udp.send(reply, port, address, () => {})),
    );
    await new Promise<void>((resolve) => this.#udp.bind(this.port, "127.0.0.1", resolve));
  }

  async stop(): Promise<void> {
    await Promise.all([
      new Promise<void>((resolve) => this.#udp.close(resolve)),
      new Promise((resolve) => this.#tcp.close(resolve)),
    ]);
  }

  get port(): number {
    return (this.#tcp.address() as AddressInfo).port;
  }

  /** Value of `SERVICE_OUTBOUND_NAME_SERVERS`. */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  #serve(socket: net.Socket): void {
    let received = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (part) => {
      received = Buffer.concat([received, part]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      this.#answer("tcp", received.subarray(2), (reply) => {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(reply.length);
        // In two parts, as a network may split it.
        socket.write(Buffer.concat([length, reply.subarray(0, 5)]));
        setTimeout(() => socket.end(reply.subarray(5)), 5);
      });
    });
  }

  #answer(by: AskedOf["by"], message: Buffer, send: (reply: Buffer) => void): void {
    const query = packet.decode(message);
    const [question] = query.questions ?? [];
    if (!question) return;
    const asked: AskedOf = { ...question, by, extended: (query.additionals ?? []).length > 0 };
    this.asked.push(asked);
    for (const reply of [this.script(asked) ?? []].flat())
      setTimeout(() => send(reply.bytes ?? this.#encode(query, question, reply, by)), reply.delay ?? 0);
  }

  #encode(query: Packet, question: Question, reply: ZoneReply, by: AskedOf["by"]): Buffer {
    const { rcode = "NOERROR", answers = [], authorities = [], truncated, wrongId, about = question } = reply;
    const isCut = truncated === true && by === "udp";
    const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | RCODES[rcode];
    return packet.encode({
      id: wrongId ? ((query.id ?? 0) + 1) % 65_536 : (query.id ?? 0),
      type: "response",
      flags: isCut ? flags | packet.TRUNCATED_RESPONSE : flags,
      questions: [about],
      answers: isCut ? [] : answers,
      authorities,
    });
  }
}

import { randomInt } from "node:crypto";
import dgram from "node:dgram";
import net, { isIP } from "node:net";
import type packet from "dns-packet";
import type { Packet, Question } from "dns-packet";
import { later } from "../../../core/values/later.ts";

const dnsPacket = later<typeof packet>("dns-packet");

/** The address of a name server. */
export interface NameServerAddress {
  readonly host: string;
  readonly port: number;
}

/** The port of DNS (RFC 1035 §4.2). */
const PORT = 53;
/** The largest UDP response that avoids fragmentation (RFC 9715 §3). */
const MOST_BYTES = 1232;

/** Parses a name server address: `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1`, `[2001:db8::1]:5353`. */
export function readAddress(text: string): NameServerAddress {
  const [, bracketed, behind] = /^\[(.+)\](?::(\d{1,5}))?$/.exec(text) ?? [];
  if (bracketed !== undefined) return { host: bracketed, port: Number(behind ?? PORT) };
  if (isIP(text) !== 0) return { host: text, port: PORT };
  const [host = "", port = PORT] = text.split(":");
  return { host, port: Number(port) };
}

interface DnsQuestion {
  id: number;
  question: Question;
  message: Buffer;
}

/** Encodes a question. @param extended whether to announce the accepted response size (EDNS, RFC 6891) */
function questionOf(question: Question, extended: boolean): DnsQuestion {
  const id = randomInt(65_536);
  const additionals = extended ? [{ type: "OPT", name: ".", udpPayloadSize: MOST_BYTES, flags: 0 }] : [];
  const { encode, RECURSION_DESIRED } = dnsPacket();
  const message = encode({
    id,
    type: "query",
    flags: RECURSION_DESIRED,
    questions: [question],
    additionals,
  });
  return { id, question, message };
}

const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Decodes the response to a question; null if it answers another one. @throws Error for bytes that are not DNS */
function answerTo({ id, question }: DnsQuestion, bytes: Buffer): Packet | null {
  const reply = dnsPacket().decode(bytes);
  const [asked] = reply.questions ?? [];
  // A server that cannot parse the question does not repeat it.
  const isAbout = asked ? asked.type === question.type && sameName(asked.name, question.name) : reply.rcode === "FORMERR";
  return reply.id === id && reply.flag_qr && isAbout ? reply : null;
}

/** Queries by UDP. Ignores packets that do not answer this question, because anyone can send to a port. */
function byUdp({ host, port }: NameServerAddress, asked: DnsQuestion, signal: AbortSignal): Promise<Packet> {
  const socket = dgram.createSocket(isIP(host) === 6 ? "udp6" : "udp4");
  return new Promise<Packet>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    socket.on("error", reject);
    socket.on("message", (bytes) => {
      try {
        const reply = answerTo(asked, bytes);
        if (reply) resolve(reply);
      } catch (error) {
        reject(error);
      }
    });
    // Connected, so the socket receives only this server's packets and reports an unreachable server.
    socket.connect(port, host, () => socket.send(asked.message));
  }).finally(() => socket.close());
}

/** Queries by TCP, where a length prefix precedes each message (RFC 7766 §8). */
function byTcp({ host, port }: NameServerAddress, asked: DnsQuestion, signal: AbortSignal): Promise<Packet> {
  const socket = net.connect({ host, port });
  return new Promise<Packet>((resolve, reject) => {
    let received = Buffer.alloc(0);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the name server closed the connection")));
    socket.on("data", (part) => {
      received = Buffer.concat([received, part]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      try {
        const reply = answerTo(asked, received.subarray(2, 2 + received.readUInt16BE(0)));
        if (reply) resolve(reply);
        else reject(new Error("the name server answered another question"));
      } catch (error) {
        reject(error);
      }
    });
    const length = Buffer.alloc(2);
    length.writeUInt16BE(asked.message.length);
    socket.write(Buffer.concat([length, asked.message]));
  }).finally(() => socket.destroy());
}

/** Response codes of a server without EDNS support (RFC 6891 §7). */
const KNOWS_NO_EDNS = new Set(["FORMERR", "NOTIMP"]);

/**
 * Sends one question to one name server: by UDP, then by TCP if the response was truncated (RFC 1035 §4.2.1).
 * @param signal aborts the wait
 * @returns the response, whatever its code
 * @throws Error without a response
 */
export async function askServer(server: NameServerAddress, question: Question, signal: AbortSignal): Promise<Packet> {
  signal.throwIfAborted();
  let asked = questionOf(question, true);
  let reply = await byUdp(server, asked, signal);
  if (KNOWS_NO_EDNS.has(reply.rcode ?? "")) {
    asked = questionOf(question, false);
    reply = await byUdp(server, asked, signal);
  }
  return reply.flag_tc ? byTcp(server, asked, signal) : reply;
}

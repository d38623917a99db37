/** The part of dns-packet in use; the package ships no types. */
declare module "dns-packet" {
  interface Question {
    type: string;
    name: string;
  }
  interface Answer extends Question {
    ttl?: number;
    /** An address or a name for most types, an object for MX, SOA and DNSKEY. */
    data: unknown;
  }
  interface Packet {
    id?: number;
    type?: "query" | "response";
    flags?: number;
    questions?: Question[];
    answers?: Answer[];
    authorities?: Answer[];
    additionals?: (Question & { udpPayloadSize?: number; flags?: number })[];
    /** Set on decoded packets. */
    rcode?: string;
    flag_qr?: boolean;
    flag_tc?: boolean;
  }
  const packet: {
    decode(bytes: Uint8Array): Packet;
    encode(packet: Packet): Buffer;
    RECURSION_DESIRED: number;
    RECURSION_AVAILABLE: number;
    AUTHORITATIVE_ANSWER: number;
    TRUNCATED_RESPONSE: number;
  };

  export type { Answer, Packet, Question };
  export default packet;
}

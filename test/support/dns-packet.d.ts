/** The part of dns-packet the tests use; the package brings no types. */
declare module "dns-packet" {
  interface Question {
    type: string;
    name: string;
  }
  interface Answer extends Question {
    ttl: number;
    data: string;
  }
  interface Packet {
    id?: number;
    type?: "query" | "response";
    flags?: number;
    questions?: Question[];
    answers?: Answer[];
  }
  const packet: {
    decode(bytes: Uint8Array): Packet;
    encode(packet: Packet): Buffer;
    RECURSION_DESIRED: number;
    RECURSION_AVAILABLE: number;
  };

  export type { Answer, Packet, Question };
  export default packet;
}

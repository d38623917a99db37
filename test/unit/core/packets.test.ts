import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { packetMiddleware } from "../../../operator/packets.ts";

const KIB = 1024;

describe("packets between nodes", () => {
  const { transporterSend, transporterReceive } = packetMiddleware();
  /** The sent part of a packet, and the part another node reads of it. */
  const travel = (packet: Buffer): { sent: Buffer; read: Buffer } => {
    let [sent, read] = [packet, packet];
    transporterSend((_topic, data) => (sent = data))("MOL.INFO", packet, {});
    transporterReceive((_command, data) => (read = data))("INFO", sent, undefined);
    return { sent, read };
  };
  const packetOf = (actions: number) =>
    Buffer.from(
      JSON.stringify(Array.from({ length: actions }, (_, n) => ({ name: `companies.list.${n}`, query: "x".repeat(KIB) }))),
    );

  it("that announce thousands of actions stay below NATS's limit", () => {
    const packet = packetOf(3000);
    const { sent, read } = travel(packet);
    expect(packet.length).to.be.greaterThan(3 * KIB * KIB);
    expect(sent.length).to.be.lessThan(KIB * KIB);
    expect(read.equals(packet)).to.equal(true);
  });

  it("that are small are sent as they are, which every version reads", () => {
    const packet = packetOf(20);
    const { sent, read } = travel(packet);
    expect([sent === packet, read === packet]).to.deep.equal([true, true]);
  });

  it("that are larger even when compressed travel in pieces, of several senders at once", () => {
    const packets = [5, 3, 1].map((mebibytes) => Buffer.from(randomBytes(mebibytes * KIB * KIB).toString("base64")));
    const sent: Buffer[][] = packets.map(() => []);
    for (const [at, packet] of packets.entries())
      packetMiddleware().transporterSend((_topic, data) => sent[at]?.push(data))("MOL.RES.node", packet, {});
    expect(sent.map((pieces) => pieces.length > 1)).to.deep.equal([true, true, true]);
    for (const piece of sent.flat()) expect(piece.length).to.be.lessThan(KIB * KIB);
    const read: Buffer[] = [];
    const receive = transporterReceive((_command, data) => read.push(data));
    const longest = Math.max(...sent.map((pieces) => pieces.length));
    for (let turn = 0; turn < longest; turn++)
      for (const pieces of sent) if (pieces[turn]) receive("RES", pieces[turn] as Buffer, undefined);
    expect(packets.every((packet) => read.some((one) => one.equals(packet)))).to.equal(true);
    expect(read).to.have.length(3);
  });

  it("are passed over when a node has missed their first piece", () => {
    const pieces: Buffer[] = [];
    transporterSend((_topic, data) => pieces.push(data))(
      "MOL.RES.node",
      Buffer.from(randomBytes(3 * KIB * KIB).toString("base64")),
      {},
    );
    const read: Buffer[] = [];
    for (const piece of pieces.slice(1)) transporterReceive((_command, data) => read.push(data))("RES", piece, undefined);
    expect(read).to.deep.equal([]);
  });
});

import { expect } from "chai";
import { packetMiddleware } from "../../../operator/packets.ts";

const KIB = 1024;

describe("packets between nodes", () => {
  const { transporterSend, transporterReceive } = packetMiddleware();
  /** What is sent of a packet, and what another node reads of that. */
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

  it("that tell of thousands of actions keep below the most that NATS takes", () => {
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
});

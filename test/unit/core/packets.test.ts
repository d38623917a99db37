import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import sinon from "sinon";
import { type PacketSecrets, packetMiddleware } from "../../../operator/packets/packets.ts";
import { Pieces, toMessages } from "../../../operator/packets/pieces.ts";

const KIB = 1024;
const [SECRET, OTHER] = ["the secret of this installation", "the secret of another"];

interface Message {
  command: string;
  target: string | null | undefined;
  data: Buffer;
}

/** A node: what it sends and reads, and the reasons in its log. */
function nodeOf(nodeID: string, secrets: Partial<PacketSecrets> = {}) {
  const warn = sinon.spy();
  const middleware = packetMiddleware(() => ({ secret: SECRET, others: [], unsigned: "refuse", ...secrets }));
  middleware.created({ nodeID, getLogger: () => ({ warn }) } as never);
  const read: string[] = [];
  return {
    warn,
    read,
    nodeID,
    reasons: () => warn.args.map(([{ event, reason }]) => reason ?? event),
    /** The messages of a packet. */
    send(command: string, target: string | null | undefined, content: string | Buffer): Message[] {
      const messages: Message[] = [];
      const next = (_topic: string, data: Buffer) => messages.push({ command, target, data });
      middleware.transporterSend(next)(`MOL.${command}`, Buffer.from(content), { packet: { type: command, target } });
      return messages;
    },
    receive({ command, data }: Message): void {
      middleware.transporterReceive((_command, packet) => read.push(packet.toString()))(command, data, undefined);
    },
  };
}
type Node = ReturnType<typeof nodeOf>;

/** Two nodes that have heard each other. */
function acquainted(one = nodeOf("one"), two = nodeOf("two")): [Node, Node] {
  for (const [from, to] of [
    [one, two],
    [two, one],
  ] as const)
    for (const message of from.send("INFO", null, "{}")) to.receive(message);
  one.read.length = two.read.length = 0;
  return [one, two];
}
const bent = (data: Buffer, at: number): Buffer => {
  const copy = Buffer.from(data);
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
};

describe("packets between nodes", () => {
  const packetOf = (actions: number) =>
    Buffer.from(
      JSON.stringify(Array.from({ length: actions }, (_, n) => ({ name: `companies.list.${n}`, query: "x".repeat(KIB) }))),
    );

  describe("that are large", () => {
    it("stay below NATS's limit when they announce thousands of actions", () => {
      const packet = packetOf(3000);
      const messages = toMessages(packet);
      expect(packet.length).to.be.greaterThan(3 * KIB * KIB);
      expect(messages.map(({ length }) => length < KIB * KIB)).to.deep.equal([true]);
      expect(new Pieces().take(messages[0] as Buffer)?.equals(packet)).to.equal(true);
    });

    it("travel in pieces if they are large even when compressed, of several senders at once", () => {
      const packets = [5, 3, 1].map((mebibytes) => randomBytes(mebibytes * KIB * KIB).toString("base64"));
      const receiver = nodeOf("receiver");
      const senders = packets.map((_, n) => acquainted(nodeOf(`sender-${n}`), receiver)[0]);
      const sent = senders.map((sender, n) => sender.send("RES", "receiver", packets[n] as string));
      expect(sent.map((pieces) => pieces.length > 1)).to.deep.equal([true, true, true]);
      for (const { data } of sent.flat()) expect(data.length).to.be.lessThan(KIB * KIB);
      for (let turn = 0; turn < Math.max(...sent.map(({ length }) => length)); turn++)
        for (const pieces of sent) if (pieces[turn]) receiver.receive(pieces[turn] as Message);
      expect(receiver.read.toSorted()).to.deep.equal(packets.toSorted());
    });

    it("are passed over when a node has missed their first piece", () => {
      const pieces = new Pieces();
      const messages = toMessages(Buffer.from(randomBytes(3 * KIB * KIB).toString("base64")));
      expect(messages.slice(1).map((message) => pieces.take(message))).to.deep.equal(messages.slice(1).map(() => null));
    });

    it("are not sent above the limit, and not inflated beyond it", () => {
      expect(() => toMessages(Buffer.alloc(300 * KIB), 299 * KIB)).to.throw(RangeError, "exceeds the limit");
      expect(() => new Pieces(299 * KIB).take(gzipSync(Buffer.alloc(300 * KIB)))).to.throw(RangeError);
      const [one, two] = acquainted();
      const [broken] = one.send("RES", "two", gzipSync("answer").subarray(0, 12));
      two.receive(broken as Message);
      expect([two.read, two.reasons()]).to.deep.equal([[], ["transport.packet_unreadable"]]);
    });

    it("that never become whole give way, the oldest first, and after a minute", () => {
      const clock = sinon.useFakeTimers();
      try {
        const contents = [1, 2, 3].map(() => randomBytes(3 * KIB * KIB));
        const [first = [], second = [], third = []] = contents.map((content) => toMessages(content));
        const last = (messages: Buffer[]) => messages.at(-1) as Buffer;
        const pieces = new Pieces(7 * KIB * KIB);
        for (const messages of [first, second, third]) for (const piece of messages.slice(0, -1)) pieces.take(piece);
        expect([pieces.take(last(first)), pieces.take(last(second))?.length]).to.deep.equal([null, 3 * KIB * KIB]);
        clock.tick(61_000);
        expect(pieces.take(last(third))).to.equal(null);
      } finally {
        clock.restore();
      }
    });
  });

  describe("that are sealed", () => {
    it("show nothing of their content, and are read by the node they name", () => {
      const [one, two] = acquainted();
      const [message] = one.send("REQ", "two", '{"action":"companies.list"}') as [Message];
      expect(message.data.includes("companies")).to.equal(false);
      two.receive(message);
      expect([two.read, two.reasons()]).to.deep.equal([['{"action":"companies.list"}'], []]);
    });

    const name = 56;
    const changes: [part: string, change: (message: Message) => Partial<Message>, reason: string][] = [
      ["key id", ({ data }) => ({ data: bent(data, 5) }), "unknown_key"],
      ["counter", ({ data }) => ({ data: bent(data, 31) }), "forged"],
      ["instant", ({ data }) => ({ data: bent(data, 39) }), "forged"],
      ["receiver", ({ data }) => ({ data: bent(data, 45) }), "other_receiver"],
      ["sender", ({ data }) => ({ data: bent(data, name + 2) }), "forged"],
      ["content", ({ data }) => ({ data: bent(data, data.length - 17) }), "forged"],
      ["seal", ({ data }) => ({ data: bent(data, data.length - 1) }), "forged"],
      ["head, cut off", ({ data }) => ({ data: data.subarray(0, 40) }), "forged"],
      ["end, cut off", ({ data }) => ({ data: data.subarray(0, -1) }), "forged"],
      ["command", () => ({ command: "EVENT" }), "forged"],
      ["whole, by plain JSON", () => ({ data: Buffer.from("{}") }), "unsealed"],
      ["whole, by gzip", () => ({ data: gzipSync("{}") }), "unsealed"],
    ];
    for (const [part, change, reason] of changes)
      it(`are refused with another ${part}, and the real one still counts`, () => {
        const [one, two] = acquainted();
        const [message] = one.send("REQ", "two", "call") as [Message];
        two.receive({ ...message, ...change(message) });
        expect([two.read, two.reasons()]).to.deep.equal([[], [reason]]);
        two.receive(message);
        expect(two.read).to.deep.equal(["call"]);
      });

    it("count once, in any order within a window, also for another node and a restarted one", () => {
      const [one, two] = acquainted();
      const three = acquainted(nodeOf("three"), one)[0];
      const messages = Array.from({ length: 1100 }, (_, n) => one.send("REQ", "two", String(n))[0] as Message);
      const recent = messages.slice(100);
      for (const message of recent.toReversed()) two.receive(message);
      expect(two.read).to.deep.equal(recent.map((_, n) => String(n + 100)).toReversed());
      for (const message of messages) two.receive(message);
      expect(two.read).to.have.length(recent.length + 24);
      expect(two.reasons()).to.deep.equal(["repeated"]);
      three.receive(messages[0] as Message);
      const again = acquainted(one, nodeOf("two"))[1];
      again.receive(messages[0] as Message);
      expect([three.read, three.reasons(), again.read, again.reasons()]).to.deep.equal([
        [],
        ["other_receiver"],
        [],
        ["other_receiver"],
      ]);
    });

    it("to every node are those by which nodes find each other, and no call", () => {
      const [one, two] = acquainted();
      two.receive(one.send("HEARTBEAT", null, "beat")[0] as Message);
      two.receive(one.send("REQ", null, "call")[0] as Message);
      two.receive(one.send("EVENT", null, "event")[0] as Message);
      expect([two.read, two.reasons()]).to.deep.equal([["beat"], ["other_receiver"]]);
    });

    it("to every node are also those in which Moleculer names no target", () => {
      const [one, two] = acquainted();
      const sent = (["DISCOVER", "DISCONNECT"] as const).flatMap((command) => one.send(command, undefined, command));
      for (const message of sent) two.receive(message);
      expect(two.read).to.deep.equal(["DISCOVER", "DISCONNECT"]);
      const mixed = acquainted(nodeOf("three", { unsigned: "accept" }), nodeOf("four"))[0];
      expect(mixed.send("DISCONNECT", undefined, "{}")).to.have.length(2);
    });

    it("are not sent to a node that was never heard", () => {
      expect(nodeOf("one").send("REQ", "stranger", "{}")).to.deep.equal([]);
    });

    it("of an earlier run of a node do not count once it has restarted, nor its own", () => {
      const clock = sinon.useFakeTimers({ now: 1_000_000 });
      try {
        const [before, two] = acquainted();
        const [late] = before.send("DISCONNECT", null, "gone") as [Message];
        clock.tick(1000);
        const [now] = acquainted(nodeOf("one"), two);
        two.receive(late);
        expect([two.read, two.reasons()]).to.deep.equal([[], ["earlier_run"]]);
        now.receive(now.send("INFO", null, "{}")[0] as Message);
        expect([now.read, now.reasons()]).to.deep.equal([[], []]);
      } finally {
        clock.restore();
      }
    });

    it("count for a minute, by both clocks", () => {
      const clock = sinon.useFakeTimers({ now: 1_000_000 });
      try {
        const [one, two] = acquainted();
        const [early, late] = [one.send("REQ", "two", "early"), one.send("REQ", "two", "late")].flat() as [Message, Message];
        clock.tick(60_000);
        two.receive(early);
        clock.tick(1);
        two.receive(late);
        expect([two.read, two.reasons()]).to.deep.equal([["early"], ["instant"]]);
      } finally {
        clock.restore();
      }
    });
  });

  describe("with a rotated secret", () => {
    it("are read in both directions while each node has the other's secret, and by no other node", () => {
      const [changed, unchanged] = acquainted(
        nodeOf("changed", { secret: OTHER, others: [SECRET] }),
        nodeOf("unchanged", { others: [OTHER] }),
      );
      unchanged.receive(changed.send("REQ", "unchanged", "to")[0] as Message);
      changed.receive(unchanged.send("RES", "changed", "fro")[0] as Message);
      expect([unchanged.read, changed.read]).to.deep.equal([["to"], ["fro"]]);
      const stranger = nodeOf("stranger");
      stranger.receive(changed.send("INFO", null, "{}")[0] as Message);
      expect([stranger.read, stranger.reasons()]).to.deep.equal([[], ["unknown_key"]]);
    });
  });

  describe("without a seal", () => {
    const accepting = (name: string) => nodeOf(name, { unsigned: "accept" });

    it("are taken from a node of an earlier version, and sent to it, only while SERVICE_PACKETS_UNSIGNED=accept", () => {
      const node = accepting("new");
      node.receive({ command: "REQ", target: "new", data: Buffer.from("old call") });
      expect([node.read, node.reasons()]).to.deep.equal([["old call"], ["transport.unsigned_accepted"]]);
      expect(node.send("RES", "old", "answer").map(({ data }) => data.toString())).to.deep.equal(["answer"]);
      expect(node.send("INFO", null, "{}").map(({ data }) => data.toString() === "{}")).to.deep.equal([true, false]);
    });

    it("are not sent to a node that seals", () => {
      const [one, two] = acquainted(accepting("one"), accepting("two"));
      const sent = one.send("REQ", "two", "call");
      for (const message of sent) two.receive(message);
      expect([sent.length, sent[0]?.data.includes("call"), two.read]).to.deep.equal([1, false, ["call"]]);
    });
  });

  it("that are refused are logged at once, then once a minute with their number", () => {
    const clock = sinon.useFakeTimers({ now: 1_000_000 });
    try {
      const node = nodeOf("node");
      const unsealed = { command: "REQ", target: "node", data: Buffer.from("{}") };
      for (let n = 0; n < 5; n++) node.receive(unsealed);
      clock.tick(60_000);
      node.receive(unsealed);
      expect(node.warn.args.map(([{ count }]) => count)).to.deep.equal([1, 5]);
    } finally {
      clock.restore();
    }
  });
});

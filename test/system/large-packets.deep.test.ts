import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { expect } from "chai";
import { type Context, ServiceBroker } from "moleculer";
import { packetMiddleware } from "../../operator/packets/packets.ts";
import { requireNats, startNats } from "../support/nodes/nats.ts";
import type { Spawned } from "../support/process.ts";

const MIB = 1024 * 1024;
const sha256 = (...parts: (string | Buffer)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};
/** Text that gzip cannot shorten to a message of NATS. */
const noise = (mebibytes: number): string => randomBytes((mebibytes * MIB * 3) / 4).toString("base64");

/** Conventions §2, "Between nodes": NATS takes 1 MiB by default, and calls between nodes have no such limit. */
describe("calls between nodes of more than NATS takes in a message", function () {
  this.timeout(180_000);
  let nats: Spawned;
  let gateway: ServiceBroker;
  let worker: ServiceBroker;

  const brokerOf = (nodeID: string) =>
    new ServiceBroker({
      namespace: "large",
      nodeID,
      transporter: { type: "NATS", options: { servers: `127.0.0.1:${nats.port}` } },
      logger: false,
      requestTimeout: 120_000,
      // A node that is busy with a large packet for a while is not away.
      heartbeatTimeout: 120,
      skipProcessEventRegistration: true,
      middlewares: [packetMiddleware(() => ({ secret: "a secret", others: [], unsigned: "refuse" }))] as never[],
    });

  before(async function () {
    requireNats(this);
    nats = await startNats();
    [gateway, worker] = [brokerOf("gateway"), brokerOf("worker")];
    worker.createService({
      name: "files",
      actions: {
        echo: (ctx: Context<{ body: string }>) => ctx.params.body,
        async store(ctx: Context) {
          const hash = createHash("sha256");
          let bytes = 0;
          for await (const chunk of (ctx as unknown as { stream: Readable }).stream) {
            hash.update(chunk as Buffer);
            bytes += (chunk as Buffer).length;
          }
          return { bytes, sha256: hash.digest("hex") };
        },
        read: (ctx: Context<{ chunk: number; count: number }>) =>
          Readable.from(
            Array.from({ length: ctx.params.count }, (_, n) => Buffer.alloc(ctx.params.chunk, n)),
            { objectMode: false },
          ),
      },
    });
    await Promise.all([gateway.start(), worker.start()]);
    await gateway.waitForServices("files");
  });
  after(async () => {
    await Promise.all([gateway?.stop(), worker?.stop()]);
    await nats?.stop();
  });

  it("carry a body and an answer of 20 MiB, several at once", async () => {
    const bodies = [20, 5, 3, 1].map(noise);
    const answers = (await Promise.all(bodies.map((body) => gateway.call("files.echo", { body })))) as string[];
    expect(answers.map((answer) => sha256(answer))).to.deep.equal(bodies.map((body) => sha256(body)));
    expect(bodies[0]).to.have.length(20 * MIB);
  });

  it("carry a stream of 20 MiB to a node, also in chunks above the limit", async () => {
    for (const chunk of [64 * 1024, 4 * MIB]) {
      const chunks = Array.from({ length: (20 * MIB) / chunk }, () => randomBytes(chunk));
      const options = { stream: Readable.from(chunks, { objectMode: false }) } as object;
      expect(await gateway.call("files.store", {}, options)).to.deep.equal({ bytes: 20 * MIB, sha256: sha256(...chunks) });
    }
  });

  it("carry a stream of 20 MiB from a node, also in chunks above the limit", async () => {
    for (const chunk of [64 * 1024, 4 * MIB]) {
      const count = (20 * MIB) / chunk;
      const stream = (await gateway.call("files.read", { chunk, count })) as Readable;
      const parts: Buffer[] = [];
      for await (const part of stream) parts.push(part as Buffer);
      expect(sha256(...parts)).to.equal(sha256(...Array.from({ length: count }, (_, n) => Buffer.alloc(chunk, n))));
    }
  });
});

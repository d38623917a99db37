import { once } from "node:events";
import net from "node:net";
import { expect } from "chai";
import { FAULT_NAMES, type Happened, order } from "../../crash/chaos/faults.ts";
import { Probes } from "../../crash/chaos/probes.ts";
import { Wire } from "../../crash/chaos/wire.ts";
import { seeded } from "../../support/lists/seeded.ts";

const fault = (began: number, mended: number): Happened => ({ name: "NATS is killed", began, mended, over: mended });

describe("the order of faults", () => {
  const first = (seed: number, count: number) => {
    const names = order(seeded(seed), FAULT_NAMES);
    return Array.from({ length: count }, () => names.next().value);
  };

  it("is the same for the same seed, and another one for another", () => {
    expect(first(1, 40)).to.deep.equal(first(1, 40));
    expect(first(1, 40)).to.not.deep.equal(first(2, 40));
  });

  it("has each fault once before any comes again", () => {
    expect(first(3, FAULT_NAMES.length).toSorted()).to.deep.equal([...FAULT_NAMES].sort());
  });
});

describe("the recovery from a fault", () => {
  /** Probes every 100 ms up to `until`, of which those for which `isBad` holds fail. */
  const probed = (until: number, isBad: (at: number) => boolean) => {
    const probes = new Probes();
    for (let at = 0; at < until; at += 100) probes.all.push({ at, took: isBad(at) ? 700 : 5, status: isBad(at) ? 503 : 200 });
    return probes;
  };

  it("is the time from its repair to the first of the calls that all succeed", () => {
    const [course] = probed(10_000, (at) => at >= 1000 && at < 4000).courses([fault(1000, 2500)]);
    expect([course?.recovery, course?.failed, course?.refusal]).to.deep.equal([1500, 30, 700]);
  });

  it("is nothing when no call failed, or all failures were before the repair", () => {
    const [whole] = probed(10_000, () => false).courses([fault(1000, 1000)]);
    const [early] = probed(10_000, (at) => at === 1200).courses([fault(1000, 2000)]);
    expect([whole?.recovery, early?.recovery]).to.deep.equal([0, 0]);
  });

  it("counts the last failure before the next fault, and is unknown without ten good calls after it", () => {
    const probes = probed(8000, (at) => at === 1500 || at === 3000 || at === 7500);
    const courses = probes.courses([fault(1000, 1000), fault(5000, 5000)]);
    expect(courses.map(({ recovery }) => recovery)).to.deep.equal([2100, null]);
  });
});

describe("a wire between two programs", () => {
  let server: net.Server;
  let wire: Wire;
  beforeEach(async () => {
    server = net.createServer((socket) => void socket.on("error", () => {}).pipe(socket)).listen(0, "127.0.0.1");
    await once(server, "listening");
    wire = await new Wire(() => ({ host: "127.0.0.1", port: (server.address() as net.AddressInfo).port })).open();
  });
  afterEach(async () => {
    await wire.close();
    server.close();
  });
  const connected = async () => {
    const socket = net.connect({ host: "127.0.0.1", port: wire.port });
    socket.on("error", () => {});
    await once(socket, "connect");
    return socket;
  };
  const echoed = async (socket: net.Socket, text: string) => {
    socket.write(text);
    return String((await once(socket, "data"))[0]);
  };

  it("passes on what both sides say, late or not", async () => {
    const socket = await connected();
    expect(await echoed(socket, "at once")).to.equal("at once");
    wire.lateness = 20;
    expect(await echoed(socket, "late")).to.equal("late");
    socket.destroy();
  });

  it("passes on after its silence what was said meanwhile", async () => {
    const socket = await connected();
    await echoed(socket, "before");
    let heard = "";
    socket.on("data", (piece) => (heard += piece));
    wire.silence();
    socket.write("meanwhile");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(heard).to.equal("");
    const again = once(socket, "data");
    wire.speak();
    await again;
    expect(heard).to.equal("meanwhile");
    socket.destroy();
  });

  it("ends connections when it is cut, takes new ones, and refuses them only while it is closed", async () => {
    const socket = await connected();
    await echoed(socket, "before");
    const closed = once(socket, "close");
    wire.cut();
    await closed;
    const next = await connected();
    expect(await echoed(next, "again")).to.equal("again");
    const { port } = wire;
    await wire.close();
    const [error] = await once(net.connect({ host: "127.0.0.1", port }), "error");
    expect((error as NodeJS.ErrnoException).code).to.equal("ECONNREFUSED");
    await wire.open();
    expect(wire.port).to.equal(port);
    expect(await echoed(await connected(), "back")).to.equal("back");
  });
});

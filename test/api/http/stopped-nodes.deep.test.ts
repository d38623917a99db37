// A service of its own: it starts and stops several.
import { setTimeout as delay } from "node:timers/promises";
import { queryObjects } from "node:v8";
import { expect } from "chai";
import { Service, ServiceBroker } from "moleculer";
import pg from "pg";
import { oneProcess } from "../../support/cluster/topology.ts";
import { startService } from "../../support/service.ts";

oneProcess("stops the node");

/** Objects of a class that are alive after a collection. */
const alive = (of: unknown): number => queryObjects(of as new () => object, { format: "count" });
/** Looks for what a stop leaves, which the last timers and sockets may hold a while. */
const LOOKS = 12;
const BETWEEN = 5000;

async function startAndStop(): Promise<void> {
  const { call, stop } = await startService();
  expect((await call("GET", "/health/ready")).status).to.equal(200);
  await stop();
}

describe("a stopped node", function () {
  // Counting walks the whole heap of the process, which has run other files before.
  this.timeout(600_000);

  it("leaves no broker, actor or pool in memory, after three starts in one process", async () => {
    const counts = () => [ServiceBroker, Service, pg.Pool].map(alive);
    // The services that files before this one share, or still hold.
    const before = counts();
    const left = () => counts().map((count, at) => Math.max(0, count - (before[at] as number)));
    for (let start = 0; start < 3; start++) await startAndStop();
    for (let look = 0; look < LOOKS && left().some((count) => count > 0); look++) await delay(BETWEEN);
    expect(left()).to.deep.equal([0, 0, 0]);
  });
});

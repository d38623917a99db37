// A service of its own: it starts and stops several.
import { queryObjects } from "node:v8";
import { expect } from "chai";
import { Service, ServiceBroker } from "moleculer";
import pg from "pg";
import { until } from "../../support/jobs.ts";
import { startService } from "../../support/service.ts";

/** Objects of each class that are alive after a collection. */
const alive = () => ({
  brokers: queryObjects(ServiceBroker, { format: "count" }),
  actors: queryObjects(Service, { format: "count" }),
  pools: queryObjects(pg.Pool, { format: "count" }),
});

async function startAndStop(): Promise<void> {
  const { call, stop } = await startService();
  expect((await call("GET", "/health/ready")).status).to.equal(200);
  await stop();
}

describe("a stopped node", () => {
  it("leaves no broker, actor or pool in memory, after three starts in one process", async () => {
    for (let start = 0; start < 3; start++) await startAndStop();
    await until(() => alive().brokers === 0);
    expect(alive()).to.deep.equal({ brokers: 0, actors: 0, pools: 0 });
  });
});

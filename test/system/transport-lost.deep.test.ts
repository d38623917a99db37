import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { requireNats, startNats } from "../support/nodes/nats.ts";
import { launchService } from "../support/process.ts";

describe("a node whose NATS ends", function () {
  this.timeout(180_000);
  let root: string;
  let dataDir: string;

  before(async function () {
    requireNats(this);
    root = await mkdtemp(path.join(tmpdir(), "kantoor-transport-"));
    await chmod(root, 0o755);
    dataDir = path.join(root, "data");
  });
  after(async () => {
    if (root) await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  const moments = [
    { moment: "in the moment it stops itself", pause: 0 },
    { moment: "seconds before it stops itself", pause: 3000 },
  ];
  for (const { moment, pause } of moments)
    it(`${moment}, stops in order, and its database with it`, async () => {
      const nats = await startNats();
      const environment = { SERVICE_DATA_DIR: dataDir, TRANSPORTER: `nats://127.0.0.1:${nats.port}`, SERVICE_DEMO: "false" };
      const node = await launchService(environment, ["--actors", "companies"]);
      await nats.kill();
      await delay(pause);
      const status = await node.stop();
      expect([status, existsSync(path.join(dataDir, "postgres/postmaster.pid"))], node.output()).to.deep.equal([0, false]);
      expect(node.output()).to.not.contain('"stack"');
    });
});

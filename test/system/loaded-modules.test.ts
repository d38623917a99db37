import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { send } from "../support/http.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { launchService, type Spawned } from "../support/process.ts";

/** Packages that hold up a start or fill memory, and that an installation without the feature never needs. */
const LATER = ["googleapis", "googleapis-common", "google-auth-library", "gaxios", "socket.io-client"];
const HOOKS = path.join(import.meta.dirname, "../support/loaded-modules.mjs");

describe("what starting the service loads", function () {
  this.timeout(180_000);
  const folder = mkdtempSync(path.join(tmpdir(), "kantoor-loaded-"));
  const file = path.join(folder, "modules");
  let database: TestDatabase;
  let node: Spawned;
  before(async () => {
    database = await cloneDatabase();
    const environment = { ...nodeSettings(database), SERVICE_DATABASE_MIGRATION_URL: database.owner, LOADED_MODULES: file };
    node = await launchService(environment, [], { flags: ["--import", HOOKS] });
  });
  after(async () => {
    await node?.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("excludes the clients of providers that the first call loads", async () => {
    expect((await send(node.port as number, "GET", "/health/ready")).status).to.equal(200);
    const loaded = readFileSync(file, "utf8").trim().split("\n");
    expect(loaded.some((url) => url.endsWith("/mixins/google/oauth-client.ts"))).to.equal(true);
    const found = loaded.filter((url) => LATER.some((name) => url.includes(`/node_modules/${name}/`)));
    expect(found).to.deep.equal([]);
  });
});
